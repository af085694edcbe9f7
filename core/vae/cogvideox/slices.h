#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>

namespace reelgrid::vae::cogvideox {

/// Frames that a kernel of 3 looks back.
inline constexpr std::int64_t kHistoryFrames = 2;

/// How many of a batch's frames a layer works on at a time: what fills a GPU, or a CPU's threads, and is
/// little beside the batch.
inline std::int64_t framesOfSlice(std::int64_t frameBytes, std::int64_t frames, at::Device device) {
    constexpr std::int64_t kGpuBytes = std::int64_t{160} << 20, kCpuBytes = std::int64_t{64} << 20;
    return std::clamp<std::int64_t>((device.is_cpu() ? kCpuBytes : kGpuBytes) / frameBytes, 1, frames);
}

/// Whether so many values of output go where a consumed input of so many lay: a view of far less than it
/// keeps alive would be no gain.
inline bool fitsIntoInput(std::int64_t values, std::int64_t inputValues) {
    return values <= inputValues && 2 * values >= inputValues;
}

}  // namespace reelgrid::vae::cogvideox
