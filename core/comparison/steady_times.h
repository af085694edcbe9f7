#pragma once

#include <optional>

#include "core/result/clip_result.h"

namespace reelgrid::comparison {

/// The times that two renders are compared by, in seconds, without what their first denoising steps took
/// beyond later ones (core/result/warm_up.h). Absent: not measured.
struct SteadyTimes {
    std::optional<double> denoise;  ///< of the last repetition
    /// In one repetition, on average: of the attention that --attention-type covers, and of what is no
    /// attention, the same work whichever backend attends.
    std::optional<double> coveredAttention, outsideAttention;
    double warmUp = 0;  ///< what is left out, of the repetition that had most of it
};
SteadyTimes steadyTimesOf(const result::ClipResult& result);

}  // namespace reelgrid::comparison
