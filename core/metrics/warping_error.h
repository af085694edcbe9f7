#pragma once

#include "core/media/frame.h"
#include "core/metrics/series.h"

namespace reelgrid::metrics {

/// Flow is looked for in pictures of at most so many pixels along the longer side.
inline constexpr int kFlowSide = 256;
/// The smallest side of a clip that can be measured.
inline constexpr int kLeastWarpedSide = 16;

/// Warping error (Lai et al. 2018): each frame is compared with the next one, warped back along the optical
/// flow between them; the mean squared difference of RGB in 0…1 over the pixels that are seen in both (those
/// whose flow there and back again ends where it began: Sundaram et al. 2010). What moves smoothly scores 0,
/// what flickers or changes shape doesn't. Entry i is for frames i and i+1; NaN where nothing is seen in
/// both. The flow is our own (optical_flow.h): numbers compare clips measured with it, not those of papers.
Series warpingError(const media::RgbVideo& video);

}  // namespace reelgrid::metrics
