#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace reelgrid::protocol {

/// Where a render is.
struct RenderProgress {
    std::string stage;  ///< load, text, denoise, decode, metrics, encode; empty: not begun
    int done = 0;       ///< of `total` units of the stage (denoising steps, decoded frames, …)
    int total = 0;
    double elapsedSeconds = 0;
    double etaSeconds = -1;                ///< of the whole job; negative while unknown
    std::uint64_t predictedPeakBytes = 0;  ///< of the device's memory; 0: nobody predicted it
};
using ProgressCallback = std::function<void(const RenderProgress&)>;

}  // namespace reelgrid::protocol
