#include "core/result/picture_hashes.h"

#include <utility>

#include "core/base/file_check.h"
#include "core/base/sha256.h"

namespace reelgrid::result {

Result<std::map<std::string, std::string>> pictureHashes(const catalog::RenderSettings& settings) {
    std::map<std::string, std::string> hashes;
    for (const auto& [field, path] : {std::pair{"img_file_path", &settings.imgFilePath},
                                      std::pair{"last_img_file_path", &settings.lastImgFilePath},
                                      std::pair{"chain_from", &settings.chainFrom}}) {
        if (!*path) continue;
        if (auto readable = requireFile(**path, kMostPictureBytes); !readable) return readable.error();
        auto hash = sha256OfFile(**path);
        if (!hash) return hash.error();
        hashes[field] = *std::move(hash);
    }
    return hashes;
}

}  // namespace reelgrid::result
