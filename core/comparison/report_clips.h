#pragma once

#include <string>

#include "core/comparison/report.h"

namespace reelgrid::comparison {

/// The clips, inside the page as far as they are small enough for one, with a button that plays them
/// together; links to their files; the renders that failed. Reads the clips.
std::string clipsSection(const Report& report);

}  // namespace reelgrid::comparison
