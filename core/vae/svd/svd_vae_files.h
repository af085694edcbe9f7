#pragma once

#include <filesystem>

#include "core/vae/vae_files.h"

namespace reelgrid::vae::svd {

/// A diffusers folder of the VAE.
VaeFiles openFiles(const std::filesystem::path& folder);

}  // namespace reelgrid::vae::svd
