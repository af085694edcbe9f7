#pragma once

#include <array>
#include <optional>

#include "core/metrics/clip_metrics.h"

namespace reelgrid::metrics {

/// What entry i of a measure's series belongs to.
enum class EntryIs { Frame, PairWithNext };

/// One measurement of a clip, as files, tables and charts show it. Exactly one of the members that say where
/// its value is kept is set.
struct Measure {
    const char* key;    ///< in metrics.json and CSV
    const char* title;  ///< for people
    const char* unit;   ///< written after the number; may be empty
    int decimals;       ///< that mean something in a table
    /// The heading of its chart in a report; null: its mean says enough there.
    const char* chartHeading;
    EntryIs entry;
    std::optional<Series> ClipMetrics::*ofClip;
    std::optional<Series> Drift::*ofDrift;
    std::optional<double> ClipMetrics::*number;

    [[nodiscard]] constexpr bool needsReference() const { return ofDrift != nullptr; }
    [[nodiscard]] constexpr bool isSeries() const { return number == nullptr; }
};

/// The one table of measures: what adds a metric is its computation (clip_metrics.cpp), its member, and a row
/// here; the rest goes through the rows.
inline constexpr std::array kMeasures{
    Measure{"frame_correlation", "frame correlation", "", 4, "Temporal coherence", EntryIs::PairWithNext,
            &ClipMetrics::frameCorrelation, nullptr, nullptr},
    Measure{"flickering", "flickering", "", 4, nullptr, EntryIs::Frame, nullptr, nullptr,
            &ClipMetrics::flickering},
    Measure{"psnr", "PSNR", "dB", 2, "Drift", EntryIs::Frame, nullptr, &Drift::psnr, nullptr},
    Measure{"ssim", "SSIM", "", 4, nullptr, EntryIs::Frame, nullptr, &Drift::ssim, nullptr},
};

/// The measure's series; null when it was not measured or is a single number.
const Series* seriesOf(const Measure& measure, const ClipMetrics& metrics);
/// The measure as one number (a series' mean); absent when it was not measured. May be NaN.
std::optional<double> numberOf(const Measure& measure, const ClipMetrics& metrics);

}  // namespace reelgrid::metrics
