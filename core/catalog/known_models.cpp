#include "core/catalog/known_models.h"

#include <array>

namespace reelgrid::catalog {

std::span<const KnownModel> knownModels() {
    static constexpr std::array kModels{
        KnownModel{"Wan-AI/Wan2.1-T2V-1.3B-Diffusers", "Wan 2.1 T2V 1.3B"},
        KnownModel{"Wan-AI/Wan2.1-T2V-14B-Diffusers", "Wan 2.1 T2V 14B"},
        KnownModel{"Wan-AI/Wan2.1-I2V-14B-480P-Diffusers", "Wan 2.1 I2V 14B, 480p"},
        KnownModel{"Wan-AI/Wan2.1-I2V-14B-720P-Diffusers", "Wan 2.1 I2V 14B, 720p"},
        KnownModel{"Wan-AI/Wan2.2-T2V-A14B-Diffusers", "Wan 2.2 T2V A14B"},
        KnownModel{"Wan-AI/Wan2.2-I2V-A14B-Diffusers", "Wan 2.2 I2V A14B"},
        KnownModel{"Wan-AI/Wan2.2-TI2V-5B-Diffusers", "Wan 2.2 TI2V 5B"},
        KnownModel{"THUDM/CogVideoX-2b", "CogVideoX 2B"},
        KnownModel{"THUDM/CogVideoX-5b", "CogVideoX 5B"},
        KnownModel{"THUDM/CogVideoX-5b-I2V", "CogVideoX 5B I2V"},
        KnownModel{"THUDM/CogVideoX1.5-5B", "CogVideoX 1.5 5B"},
        KnownModel{"THUDM/CogVideoX1.5-5B-I2V", "CogVideoX 1.5 5B I2V"},
    };
    return kModels;
}

}  // namespace reelgrid::catalog
