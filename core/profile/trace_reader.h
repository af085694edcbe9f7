#pragma once

#include <cstddef>
#include <filesystem>

#include "core/base/result.h"
#include "core/profile/packed_text.h"
#include "core/profile/trace.h"

namespace reelgrid::profile {

/// What an untrusted trace may cost: about 40 bytes of memory and 3 µs an event. All 50 steps of a model of
/// 14 billion parameters are some 400,000.
struct TraceLimits {
    std::size_t events = 4'000'000;
    TextLimits text{};
};

/// Reads a Chrome trace of torch's profiler (ours, or Python torch's), plain or gzipped, in one go through
/// the file. InvalidData with what a file of something else lacks.
Result<Trace> readTrace(const std::filesystem::path& file, const TraceLimits& limits = {},
                        ReadProgress progress = {}, StackFrames frames = StackFrames::LeftOut);

}  // namespace reelgrid::profile
