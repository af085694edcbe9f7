#pragma once

#include <string>
#include <vector>

#include "core/comparison/entry.h"

namespace reelgrid::comparison {

/// Whose first steps took longer than the others and by how much, where a ratio of speeds leaves that out:
/// one line. Empty: nobody's.
std::string warmUpLine(const std::vector<Entry>& entries);

}  // namespace reelgrid::comparison
