#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/weights/weight_source.h"

namespace reelgrid::models::sd35 {

/// What Stable Diffusion 3's authors call the parameter that diffusers calls `name`:
/// "joint_blocks.0.x_block.mlp.fc1.weight" for "transformer_blocks.0.ff.net.0.proj.weight"; of queries, keys
/// and values, which are one there, the name of the three. Source: diffusers 0.40,
/// loaders/single_file_utils.py (convert_sd3_transformer_checkpoint_to_diffusers).
std::string originalName(const std::string& name);

/// A checkpoint of the transformer by diffusers' names, whichever it has: those, or the authors' with or
/// without "model.diffusion_model." in front.
std::unique_ptr<weights::WeightSource> transformerNames(std::unique_ptr<weights::WeightSource> checkpoint,
                                                        std::int64_t layers);

}  // namespace reelgrid::models::sd35
