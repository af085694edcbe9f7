#include "app/cli/request_pictures.h"

#include <string>
#include <utility>

#include "core/base/file_check.h"

namespace reelgrid::cli {

Result<void> requirePictures(const protocol::RenderRequest& request) {
    for (const auto& [option, path] : {std::pair{"--img-file-path", &request.imgFilePath},
                                       std::pair{"--last-img-file-path", &request.lastImgFilePath}})
        if (*path)
            if (auto readable = requireFile(**path, kMostPictureBytes); !readable)
                return Error{readable.error().code, std::string(option) + " " + readable.error().message};
    return {};
}

}  // namespace reelgrid::cli
