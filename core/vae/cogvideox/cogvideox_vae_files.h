#pragma once

#include "core/vae/vae_files.h"

namespace reelgrid::vae::cogvideox {

/// CogVideoX's VAE in its diffusers folder. Throws Failure naming the file and what is wrong with it.
VaeFiles openFiles(const std::filesystem::path& folder);

}  // namespace reelgrid::vae::cogvideox
