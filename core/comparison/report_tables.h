#pragma once

#include <string>

#include "core/comparison/report.h"

namespace reelgrid::comparison {

/// The report's tables, as HTML: times, measures of the picture, and which backend served which calls.
std::string timeTable(const Report& report);
std::string qualityTable(const Report& report);
std::string attributionTable(const Report& report);
/// What other engines made of the same request; nothing where there are none.
std::string engineTable(const Report& report);

}  // namespace reelgrid::comparison
