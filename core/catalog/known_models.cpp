#include "core/catalog/known_models.h"

#include <vector>

namespace reelgrid::catalog {

std::span<const KnownModel> knownModels() {
    static const std::vector<KnownModel> kModels = [] {
        std::vector<KnownModel> models;
        for (const families::Family& family : families::families())
            models.insert(models.end(), family.knownModels.begin(), family.knownModels.end());
        return models;
    }();
    return kModels;
}

}  // namespace reelgrid::catalog
