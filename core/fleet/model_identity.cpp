#include "core/fleet/model_identity.h"

namespace reelgrid::fleet {

Result<std::map<std::string, std::string>> identityOf(const families::ModelInfo& model,
                                                      result::ComponentHasher& hasher) {
    std::map<std::string, std::string> hashes;
    for (const families::ComponentInfo& component : model.components) {
        if (component.files.empty()) continue;
        if (auto learned = hasher.learn(component.files, {}); !learned) return learned.error();
        auto hash = hasher.hash(component.files);
        if (!hash) return hash.error();
        hashes[component.name] = hash->sha256;
    }
    return hashes;
}

}  // namespace reelgrid::fleet
