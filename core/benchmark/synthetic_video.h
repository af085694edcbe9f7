#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace reelgrid::benchmark {

/// What the clip of syntheticVideo() shows, for reports.
inline constexpr const char* kSyntheticVideo =
    "two discs and a bar that move over a slow gradient with a drifting weave";

/// A clip that is the same on every machine, with smooth areas, edges, fine lines and motion:
/// [1, 3, frames, height, width] within [−1, 1], fp32, on the CPU.
at::Tensor syntheticVideo(std::int64_t frames, std::int64_t height, std::int64_t width);

}  // namespace reelgrid::benchmark
