#pragma once

#include <string>
#include <vector>

#include "app/cli/metric_options.h"

namespace reelgrid::cli {

/// Several clips that one call measures.
struct ClipsToMeasure {
    std::vector<std::string> clips;
    std::string reference;  ///< empty: none
    std::string prompt;     ///< of clips whose own isn't known
    std::string device;
    bool keep = false;  ///< write what was measured into their results
    bool json = false;
};

/// Measures them one after another and prints what came out. A clip that can't be measured is said and keeps
/// the others from nothing; the exit code is then 1.
int measureClips(const ClipsToMeasure& what, MetricOptions& asked);

}  // namespace reelgrid::cli
