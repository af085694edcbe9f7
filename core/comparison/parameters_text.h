#pragma once

#include <optional>
#include <string_view>

#include "core/comparison/clip_origin.h"

namespace reelgrid::comparison {

/// What AUTOMATIC1111's web UI writes: the prompt, a line "Negative prompt: …", and a line "Steps: 20,
/// Sampler: Euler a, CFG scale: 7, Seed: 1, Model: name, …". Untrusted. Nothing without that last line.
std::optional<ClipOrigin> originOfParameters(std::string_view text);

}  // namespace reelgrid::comparison
