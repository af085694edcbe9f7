#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reelgrid::models::unet {

/// What Stable Diffusion's own code (ldm) calls the parameter that diffusers' UNet2DConditionModel calls
/// `name`, of a model with so many residual layers a block on the way down and so many blocks. Source:
/// diffusers 0.40, loaders/single_file_utils.py (convert_ldm_unet_checkpoint).
std::string ldmUnetName(const std::string& name, std::int64_t layersPerBlock, std::int64_t blocks);

/// "a.b.c" at its first `count` dots, the rest last.
std::vector<std::string> partsOf(const std::string& name, std::size_t count);

}  // namespace reelgrid::models::unet
