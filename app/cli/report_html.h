#pragma once

#include <string>

#include "app/cli/comparison.h"

namespace reelgrid::cli {

/// The comparison as one HTML page without outside parts: what was rendered, times, quality, which backend
/// ran, charts. Links to the clips beside it.
std::string reportHtml(const Comparison& comparison);

}  // namespace reelgrid::cli
