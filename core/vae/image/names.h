#pragma once

#include <memory>
#include <string>

#include "core/weights/weight_source.h"

namespace reelgrid::vae::image {

/// What Stable Diffusion's own code (ldm.models.autoencoder) calls the parameter that diffusers'
/// AutoencoderKL calls `name`: "decoder.up.3.block.0.norm1.weight" for
/// "decoder.up_blocks.0.resnets.0.norm1.weight" of 4 sizes. Source: diffusers 0.40,
/// loaders/single_file_utils.py (convert_ldm_vae_checkpoint).
std::string ldmVaeName(const std::string& name, std::int64_t sizes);

/// A checkpoint by diffusers' names, whichever it has: those, the attention's of before 2023 ("query",
/// "proj_attn"), or a single file's with `prefix` in front ("first_stage_model."), whose attention has 1×1
/// convolutions.
std::unique_ptr<weights::WeightSource> imageVaeNames(std::unique_ptr<weights::WeightSource> checkpoint,
                                                     std::int64_t sizes,
                                                     const std::string& prefix = "first_stage_model.");

}  // namespace reelgrid::vae::image
