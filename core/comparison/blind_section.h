#pragma once

#include <string>

#include "core/comparison/report.h"

namespace reelgrid::comparison {

/// How often each clip was preferred in the blind test, and how many votes are of other clips that were at
/// these places; nothing where nobody voted.
std::string blindSection(const Report& report);

}  // namespace reelgrid::comparison
