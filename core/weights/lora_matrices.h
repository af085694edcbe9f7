#pragma once

#include <array>
#include <string>

#include "core/safetensors/lora_settings.h"

namespace reelgrid::weights {

/// The two matrices of a layer as tools call them, behind the layer's name.
struct LoraMatrices {
    const char *down, *up;
    const char* bias;  ///< what is added to the module's, beside the product; null: none is known
};
inline constexpr std::array kLoraMatrices{
    LoraMatrices{".lora_A.weight", ".lora_B.weight", ".lora_B.bias"},
    LoraMatrices{".lora_down.weight", ".lora_up.weight", nullptr},
    LoraMatrices{".lora_A.default.weight", ".lora_B.default.weight", ".lora_B.default.bias"},
    // Below "to_q_lora" and the like, of attention in diffusers of before 2023.
    LoraMatrices{".down.weight", ".up.weight", nullptr}};

/// Of which component a layer is, by the name that a LoRA's file has for it.
inline safetensors::LoraComponent loraComponentOf(const std::string& kept) {
    using enum safetensors::LoraComponent;
    if (kept.starts_with("text_encoder.") || kept.starts_with("lora_te")) return TextEncoder;
    if (kept.starts_with("transformer.")) return Transformer;
    return kept.starts_with("unet.") ? Unet : Denoiser;
}

}  // namespace reelgrid::weights
