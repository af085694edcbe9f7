#pragma once

#include <cstdint>
#include <span>

#include "core/media/frame.h"
#include "core/metrics/series.h"

namespace reelgrid::metrics {

/// Pearson's r of two equally long lists; NaN when either is constant. Exact sums for bytes.
double pearson(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);
double pearson(std::span<const float> a, std::span<const float> b);

/// Frame correlation: r of flattened consecutive frames. Entry i is for frames i and i+1, so there is one
/// fewer than frames.
Series frameCorrelation(const media::RgbVideo& video);
/// The same for any equally sized frames, such as latents: `values` is [frames, …].
Series frameCorrelation(std::span<const float> values, int frames);

/// Mean absolute difference of two frames in codes, 0 to 255.
double meanAbsoluteDifference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);
/// The same between each frame and the next; one fewer than frames.
Series frameDifference(const media::RgbVideo& video);

/// Temporal flickering as VBench defines it: (255 − mean over t of MAE(F_t, F_{t+1})) / 255, here of each
/// pair of frames, whose mean it is. 1 is a still picture; meant for static scenes.
Series flickering(const Series& frameDifference);

}  // namespace reelgrid::metrics
