#pragma once

#include <cstddef>
#include <string>

#include "core/profile/summary.h"
#include "core/profile/trace_comparison.h"

namespace reelgrid::profile {

/// For a person: what was recorded, groups, stages and steps, at most `top` names, bottlenecks.
std::string tablesOf(const Summary& summary, std::size_t top);

/// Groups and names of both, what changed most first.
std::string tablesOf(const TraceComparison& comparison, std::size_t top);

}  // namespace reelgrid::profile
