#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/media/frame.h"
#include "core/metrics/clip_gates.h"
#include "core/metrics/series.h"

namespace reelgrid::metrics {

/// A clip against a reference clip, frame by frame over those that both have.
struct ReferenceQuality {
    int comparedFrames = 0;
    int referenceFrames = 0;
    Series psnr;
    std::optional<Series> ssim;  ///< absent for pictures smaller than its window
};

/// All measurements of one clip. What could not be measured is absent.
struct ClipMetrics {
    int frames = 0;
    std::optional<Series> frameCorrelation;  ///< absent for a single frame
    std::optional<double> flickering;        ///< likewise
    std::optional<ReferenceQuality> reference;
    ClipGates gates;
};

/// Measures `video`, against `reference` where there is one. BadUsage when a clip has no frames or the sizes
/// differ; lengths may differ, then the common frames are compared. Uses the machine's cores.
Result<ClipMetrics> measure(const media::RgbVideo& video, const media::RgbVideo* reference = nullptr);

}  // namespace reelgrid::metrics
