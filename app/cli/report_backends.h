#pragma once

#include <string>

#include "app/cli/comparison.h"

namespace reelgrid::cli {

/// What each backend of the comparison computes and where the CPU deviates from its GPU definition, as HTML;
/// each under the anchor that backendLink() points to.
std::string backendDescriptions(const Comparison& comparison);

/// The clip's label as a link to its backend's description.
std::string backendLink(const ComparisonEntry& entry);

}  // namespace reelgrid::cli
