#pragma once

#include <optional>
#include <vector>

#include "core/session/clip_measurements.h"

namespace reelgrid::session {

/// Seconds of attention (of one kind: "self", "cross"; empty: of all) in one repetition, on average. Absent
/// when it was not measured.
std::optional<double> attentionSeconds(const ClipMeasurements& measured, const std::string& module = "");

/// Seconds of denoising spent outside attention in one repetition, on average: the same work whichever
/// backend attends.
std::optional<double> secondsOutsideAttention(const ClipMeasurements& measured);

/// How long the same work took in the fastest and in the slowest of several renders.
struct SameWork {
    double fastest = 0;
    double slowest = 0;

    /// True when the machine was evidently not equally fast for all of them, so that their times can't be
    /// compared.
    [[nodiscard]] bool isUneven() const;
};

/// Over the renders' seconds outside attention; absent with fewer than two of them.
std::optional<SameWork> sameWorkOf(const std::vector<double>& secondsOutsideAttention);

}  // namespace reelgrid::session
