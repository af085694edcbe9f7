#pragma once

#include <span>

#include "core/families/script.h"

namespace reelgrid::families::wan {

/// aiter's run_wan.py and render_all_WAN.sh, a benchmark of the VAE, TurboDiffusion's two.
std::span<const Script> scripts();

}  // namespace reelgrid::families::wan
