#pragma once

#include <string>

#include "core/comparison/report.h"

namespace reelgrid::comparison {

/// What each clip's coherence comes to, with the figures that decide and what is asked of them; nothing where
/// no clip can be judged.
std::string coherenceSection(const Report& report);

}  // namespace reelgrid::comparison
