#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/vae/wan21/wan_vae_config.h"
#include "core/weights/weight_source.h"

namespace reelgrid::vae::wan21 {

/// A Wan VAE on the disk, by itself.
struct VaeCheckpoint {
    std::filesystem::path path;
    WanVaeConfig config;
    std::unique_ptr<weights::WeightSource> weights;  ///< by diffusers' names, whatever the file calls them
    std::uint64_t bytes = 0;                         ///< of its weight files
};

/// Opens a diffusers folder of a VAE (config.json and weights), the folder of a whole model (its vae/, or the
/// Wan2.1_VAE.pth of Wan's authors), or one .safetensors, .pth or .pt file with diffusers' or with Wan's own
/// names. A file without a config.json beside it has the configuration of Wan 2.1; so has Wan2.1_VAE.pth,
/// whose folder's config.json is the transformer's. Throws Failure naming what is missing or wrong.
VaeCheckpoint openCheckpoint(const std::filesystem::path& path);

}  // namespace reelgrid::vae::wan21
