#pragma once

#include <string>

#include "core/base/result.h"
#include "kernels/attention/call_context.h"

namespace reelgrid::cli {

inline constexpr const char* kTokenGridHelp =
    "How the tokens lie in a clip, for kernels that ask: FRAMES,ROWS,COLUMNS, and tokens of text before and "
    "behind (0,0)";

/// What --grid says: "21,30,52", or with tokens of text before and behind "13,30,45,226,0". BadUsage.
Result<kernels::TokenGrid> tokenGridFrom(const std::string& text);

}  // namespace reelgrid::cli
