#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/attention/call_context.h"

namespace reelgrid::cli {

/// A line on stderr for each of `texts` (--backend-option) that is for layers of `backend` which none of the
/// captured calls is of. A layer is absent where the capture doesn't say it.
void sayIdleLayers(const std::vector<std::string>& texts, const std::string& backend,
                   const std::vector<std::optional<int>>& layersOfCalls);

/// A line on stderr where --grid is known and none of the captured calls runs with it: each says its own.
void sayIdleGrid(const kernels::TokenGrid& asked, const std::vector<kernels::TokenGrid>& gridsOfCalls);

}  // namespace reelgrid::cli
