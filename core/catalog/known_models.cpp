#include "core/catalog/known_models.h"

#include <array>

namespace reelgrid::catalog {

std::span<const KnownModel> knownModels() {
    static constexpr std::array kModels{
        KnownModel{"Wan-AI/Wan2.1-T2V-1.3B-Diffusers", "Wan 2.1 T2V 1.3B"},
        KnownModel{"Wan-AI/Wan2.1-T2V-14B-Diffusers", "Wan 2.1 T2V 14B"},
    };
    return kModels;
}

}  // namespace reelgrid::catalog
