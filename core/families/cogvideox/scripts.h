#pragma once

#include <span>

#include "core/families/script.h"

namespace reelgrid::families::cogvideox {

/// aiter's programs for attention kernels.
std::span<const Script> scripts();

}  // namespace reelgrid::families::cogvideox
