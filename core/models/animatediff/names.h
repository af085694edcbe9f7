#pragma once

#include <string>

#include "core/models/unet/ldm_names.h"

namespace reelgrid::models::animatediff {

using unet::ldmUnetName;

/// What AnimateDiff's authors' files call a motion module's parameter that diffusers' MotionAdapter calls
/// `name`: "down_blocks.0.motion_modules.0.temporal_transformer.transformer_blocks.0.attention_blocks.0.to_q
/// .weight" for "down_blocks.0.motion_modules.0.transformer_blocks.0.attn1.to_q.weight". Source: diffusers
/// 0.40, loaders/single_file_utils.py (convert_animatediff_checkpoint_to_diffusers).
std::string authorsMotionName(const std::string& name);

}  // namespace reelgrid::models::animatediff
