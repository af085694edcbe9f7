#pragma once

#include <string>
#include <vector>

#include "core/models/animatediff/config.h"
#include "core/weights/lora.h"

namespace reelgrid::models::animatediff {

/// The part of a model that a LoRA's tensor changes.
enum class LoraPart { Image, Motion, Text };
/// Its tensors of that part, by their names.
weights::LoraShare loraShare(LoraPart part);

/// What LoRAs of Stable Diffusion 1.5 call a module of the UNet: diffusers' and peft's names ("unet." or
/// "base_model.model." before them), those of diffusers of before 2023 ("attn1.processor.to_q_lora"), kohya's
/// ("lora_unet_down_blocks_0_…"), and the same of the authors' names ("lora_unet_input_blocks_1_1_…").
weights::LoraNames imageLoraNames(const UnetConfig& config);
/// Likewise of a motion module: a motion LoRA's of diffusers and of AnimateDiff's authors.
std::vector<std::string> motionLoraNames(const std::string& module);
/// Likewise of the text encoder ("text_encoder.", "lora_te_").
std::vector<std::string> textLoraNames(const std::string& module);

}  // namespace reelgrid::models::animatediff
