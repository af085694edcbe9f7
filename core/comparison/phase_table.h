#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result/timing.h"

namespace reelgrid::comparison {

/// What a render was made of, beside its times.
struct RenderedAmounts {
    int frames = 0;
    std::uint64_t latentBytes = 0, weightBytes = 0;  ///< as stored; 0: not known
};

/// A table's lines: each phase of a render with its time a frame and in all, what they come to, and below it
/// latents, weights and the most memory that was in use.
std::vector<std::string> phaseTable(const result::Timing& timing, const RenderedAmounts& amounts);

}  // namespace reelgrid::comparison
