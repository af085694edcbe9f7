#pragma once

#include <string>

#include "core/comparison/report.h"

namespace reelgrid::comparison {

/// What each backend of the comparison computes and where the CPU deviates from its GPU definition, as HTML;
/// each under the anchor that backendLink() points to.
std::string backendDescriptions(const Report& report);

/// The clip's label as a link to its backend's description.
std::string backendLink(const Entry& entry);

}  // namespace reelgrid::comparison
