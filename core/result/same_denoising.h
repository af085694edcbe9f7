#pragma once

#include <string>

#include "core/result/manifest.h"

namespace reelgrid::result {

/// What keeps the denoising steps of one render from being another's, to the bit: "its seed was 7, now 42",
/// "it was begun by version 0.2.0, this is 0.3.0"; empty: nothing. Of both, what is known before denoising
/// counts: settings, versions, device, files. How latents are decoded doesn't.
std::string differenceInDenoising(const Manifest& then, const Manifest& now);

}  // namespace reelgrid::result
