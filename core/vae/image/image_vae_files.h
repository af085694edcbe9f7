#pragma once

#include "core/vae/vae_files.h"

namespace reelgrid::vae::image {

/// Stable Diffusion's autoencoder in its diffusers folder, by today's names or those of before 2023. Throws
/// Failure naming the file and what is wrong with it.
VaeFiles openFiles(const std::filesystem::path& folder);

}  // namespace reelgrid::vae::image
