#pragma once

#include "core/vae/vae_files.h"
#include "core/vae/wan21/vae_checkpoint.h"

namespace reelgrid::vae::wan21 {

/// Wan's VAE on the disk, in any form that openCheckpoint() takes. Throws Failure.
VaeFiles openFiles(const std::filesystem::path& path);

VaeFiles filesOf(VaeCheckpoint checkpoint);

}  // namespace reelgrid::vae::wan21
