#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/profile/summary.h"
#include "core/profile/trace_comparison.h"

namespace reelgrid::profile {

/// What `profile --json` prints, all times in seconds (docs/reference/file-formats.md).
nlohmann::json toJson(const Summary& summary, std::size_t top);
nlohmann::json toJson(const TraceComparison& comparison, std::size_t top);

}  // namespace reelgrid::profile
