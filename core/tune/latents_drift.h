#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace reelgrid::tune {

/// How far a render's final latents are from another's.
struct LatentsDrift {
    double cosine = 0;
    double relativeL1 = 0;
};

/// Of two latents.safetensors. Blocks on the disk. NotFound, InvalidData or Unsupported naming the file where
/// one is not what a render writes: a tensor "latents" in fp32, of one shape in both.
Result<LatentsDrift> latentsDrift(const std::filesystem::path& reference, const std::filesystem::path& file);

}  // namespace reelgrid::tune
