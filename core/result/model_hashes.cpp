#include "core/result/model_hashes.h"

namespace reelgrid::result {

Result<std::map<std::string, std::string>> modelHashes(const catalog::ModelInfo& model,
                                                       ComponentHasher& hasher) {
    constexpr const char* kIndex = "model_index.json";
    std::map<std::string, std::string> hashes;
    auto index = hasher.hashFile(model.folder / kIndex);
    if (!index) return index.error();
    hashes[kIndex] = index->sha256;
    for (const catalog::ComponentInfo& component : model.components) {
        auto hash = hasher.hash(model.folder / component.name);
        if (!hash) return hash.error();
        hashes[component.name] = hash->sha256;
    }
    return hashes;
}

}  // namespace reelgrid::result
