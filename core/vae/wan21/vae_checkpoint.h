#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/vae/wan21/wan_vae_config.h"
#include "core/weights/weight_file.h"

namespace reelgrid::vae::wan21 {

/// A Wan VAE on the disk, by itself.
struct VaeCheckpoint {
    std::filesystem::path path;
    WanVaeConfig config;
    std::unique_ptr<weights::WeightSource> weights;  ///< by diffusers' names, whatever the file calls them
    std::uint64_t bytes = 0;                         ///< of its weight files
};

/// Opens a diffusers folder of a VAE (config.json and weights), the folder of a whole model (its vae/, or the
/// Wan2.1_VAE.pth or Wan2.2_VAE.pth of Wan's authors), or one .safetensors, .pth or .pt file with diffusers'
/// or with Wan's own names. A file without a VAE's config.json beside it has the configuration of Wan 2.1 or,
/// by its names, 2.2. Throws Failure naming what is missing or wrong.
VaeCheckpoint openCheckpoint(const std::filesystem::path& path,
                             const weights::OpenWeights& open = weights::openWeights);

}  // namespace reelgrid::vae::wan21
