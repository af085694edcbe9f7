#pragma once

#include <cstdint>
#include <string>

namespace reelgrid::denoising {

/// About how many bytes of the device a render takes at its fullest moment, the model included, and in which
/// stage that is.
struct MemoryForecast {
    std::uint64_t peak = 0;
    std::string stage;
};

}  // namespace reelgrid::denoising
