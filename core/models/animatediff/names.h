#pragma once

#include <cstdint>
#include <string>

namespace reelgrid::models::animatediff {

/// What AnimateDiff's authors' files call a motion module's parameter that diffusers' MotionAdapter calls
/// `name`: "down_blocks.0.motion_modules.0.temporal_transformer.transformer_blocks.0.attention_blocks.0.to_q
/// .weight" for "down_blocks.0.motion_modules.0.transformer_blocks.0.attn1.to_q.weight". Source: diffusers
/// 0.40, loaders/single_file_utils.py (convert_animatediff_checkpoint_to_diffusers).
std::string authorsMotionName(const std::string& name);

/// What Stable Diffusion's own code (ldm) calls the parameter that diffusers' UNet2DConditionModel calls
/// `name`, of a model with so many residual layers a block on the way down and so many blocks. Source:
/// diffusers 0.40, loaders/single_file_utils.py (convert_ldm_unet_checkpoint).
std::string ldmUnetName(const std::string& name, std::int64_t layersPerBlock, std::int64_t blocks);

}  // namespace reelgrid::models::animatediff
