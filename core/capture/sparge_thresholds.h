#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/capture/captured_call.h"

namespace reelgrid::capture {

/// sparge's thresholds of one head.
struct SpargeThresholds {
    double similarity = 1;  ///< sparge.simthreshd1; with 1 every block is kept
    double cdf = 1;         ///< sparge.cdfthreshd
    bool operator==(const SpargeThresholds&) const = default;
};

/// What was found for a layer.
struct LayerThresholds {
    int layer = 0;
    std::vector<SpargeThresholds> ofHead;
    double keptShare = 1;   ///< of the pairs of blocks, mean of the heads and of the calls
    double relativeL1 = 0;  ///< Σ|O−O'| / Σ|O| of a head's output, the largest of heads and calls
};

enum class ThresholdsFor { EachHead, AllHeads };

/// For each layer that the calls are of, the thresholds with which sparge keeps least while each head's
/// output of every call is within `mostL1` of exact attention in float32, as SpargeAttention tunes its own
/// (arXiv:2502.18137, section 3.6): all pairs of a few similarities and shares of the weight are tried. A
/// head that no pair is good enough for keeps every block. BadUsage where a bound isn't above 0, Unsupported
/// naming the file whose call sparge can't run or whose layer nobody knows, Cancelled when `goesOn`, which is
/// told how many files are done, says so.
Result<std::vector<LayerThresholds>> tuneSparge(const std::vector<std::filesystem::path>& files,
                                                double mostL1, ThresholdsFor whom,
                                                const std::function<bool(int done, int total)>& goesOn);

/// As --backend-option sets them: "sparge.cdfthreshd@3=0.9,0.7".
std::vector<std::string> backendOptionsOf(const std::vector<LayerThresholds>& layers);

}  // namespace reelgrid::capture
