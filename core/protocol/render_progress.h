#pragma once

#include <functional>
#include <string>

namespace reelgrid::protocol {

/// Where a render is.
struct RenderProgress {
    std::string stage;  ///< load, text, denoise, decode, metrics, encode; empty: not begun
    int done = 0;       ///< of `total` units of the stage (denoising steps, decoded frames, …)
    int total = 0;
    double elapsedSeconds = 0;
    double etaSeconds = -1;  ///< of the whole job; negative while unknown
};
using ProgressCallback = std::function<void(const RenderProgress&)>;

}  // namespace reelgrid::protocol
