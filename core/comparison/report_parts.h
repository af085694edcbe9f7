#pragma once

#include <string>

#include "core/comparison/report.h"

namespace reelgrid::comparison {

/// What a mean step of each clip went into, as an HTML table; nothing where no step was measured by part.
std::string partsTable(const Report& report);

}  // namespace reelgrid::comparison
