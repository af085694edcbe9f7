#pragma once

#include <memory>
#include <string>

#include "core/weights/weight_source.h"

namespace reelgrid::models::wan {

/// What Wan's own checkpoints call a parameter that diffusers' WanTransformer3DModel calls `name`:
/// "blocks.0.self_attn.q.weight" for "blocks.0.attn1.to_q.weight". The tensors are the same. Source:
/// diffusers' convert_wan_transformer_to_diffusers (loaders/single_file_utils.py).
std::string originalTransformerName(const std::string& name);

/// The checkpoint asked for by diffusers' names, whichever it has: diffusers', Wan's own, or Wan's own below
/// "model.diffusion_model." or "diffusion_model." as ComfyUI writes them.
std::unique_ptr<weights::WeightSource> byDiffusersNames(std::unique_ptr<weights::WeightSource> checkpoint);

}  // namespace reelgrid::models::wan
