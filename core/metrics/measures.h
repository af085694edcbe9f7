#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "core/metrics/clip_metrics.h"

namespace reelgrid::metrics {

/// What entry i of a measure's series belongs to.
enum class EntryIs { Frame, PairWithNext };

/// How files have a measure: as {"mean", "per_frame"}, or as its mean with the list in "per_frame".
enum class WrittenAs { Series, Number };

/// What asked_metrics.h lists is left out of tables where no clip has it.
enum class Measured { Always, OnRequest };

/// One measurement of a clip, as files, tables and charts show it. Exactly one of the members that say where
/// its series is kept is set.
struct Measure {
    const char* key;    ///< in metrics.json and CSV
    const char* title;  ///< for people
    const char* unit;   ///< written after the number; may be empty
    int decimals;       ///< that mean something in a table
    /// The heading of its chart in a report; null: its mean says enough there.
    const char* chartHeading;
    EntryIs entry;
    WrittenAs written;
    std::optional<Series> ClipMetrics::*ofClip;
    std::optional<Series> Drift::*ofDrift;
    Measured measured = Measured::Always;

    [[nodiscard]] constexpr bool needsReference() const { return ofDrift != nullptr; }
};

/// The one table of measures: what adds a metric is its computation (clip_metrics.cpp), its member, and a row
/// here; the rest goes through the rows.
inline constexpr std::array kMeasures{
    Measure{"frame_correlation", "frame correlation", "", 4, "Temporal coherence", EntryIs::PairWithNext,
            WrittenAs::Series, &ClipMetrics::frameCorrelation, nullptr},
    Measure{"flickering", "flickering", "", 4, nullptr, EntryIs::PairWithNext, WrittenAs::Number,
            &ClipMetrics::flickering, nullptr},
    Measure{"warping_error", "warping error", "", 5, nullptr, EntryIs::PairWithNext, WrittenAs::Number,
            &ClipMetrics::warpingError, nullptr},
    Measure{"psnr", "PSNR", "dB", 2, "Drift", EntryIs::Frame, WrittenAs::Series, nullptr, &Drift::psnr},
    Measure{"ssim", "SSIM", "", 4, nullptr, EntryIs::Frame, WrittenAs::Series, nullptr, &Drift::ssim},
    Measure{"ms_ssim", "MS-SSIM", "", 4, nullptr, EntryIs::Frame, WrittenAs::Series, nullptr, &Drift::msSsim},
    Measure{"lpips", "LPIPS", "", 4, "Perceptual distance", EntryIs::Frame, WrittenAs::Series, nullptr,
            &Drift::lpips, Measured::OnRequest},
    Measure{"lpips_squeeze", "LPIPS (SqueezeNet)", "", 4, nullptr, EntryIs::Frame, WrittenAs::Series, nullptr,
            &Drift::lpipsSqueeze, Measured::OnRequest},
    Measure{"vmaf", "VMAF", "", 2, "VMAF", EntryIs::Frame, WrittenAs::Series, nullptr, &Drift::vmaf,
            Measured::OnRequest},
    Measure{"clip_score", "CLIP score", "", 2, "CLIP score", EntryIs::Frame, WrittenAs::Series,
            &ClipMetrics::clipScore, nullptr, Measured::OnRequest},
    Measure{"subject_consistency", "subject consistency", "", 4, "Subject consistency", EntryIs::PairWithNext,
            WrittenAs::Series, &ClipMetrics::subjectConsistency, nullptr, Measured::OnRequest},
    Measure{"background_consistency", "background consistency", "", 4, nullptr, EntryIs::PairWithNext,
            WrittenAs::Series, &ClipMetrics::backgroundConsistency, nullptr, Measured::OnRequest},
};

/// The measure's series; null when it was not measured. Without entries: only its mean is known.
const Series* seriesOf(const Measure& measure, const ClipMetrics& metrics);
/// The measure as one number (a series' mean); absent when it was not measured. May be NaN.
std::optional<double> numberOf(const Measure& measure, const ClipMetrics& metrics);

/// Whether tables have it: always, or because one of the clips was measured for it.
template <class Clips, class MetricsOf>
bool isShown(const Measure& measure, const Clips& clips, MetricsOf metricsOf) {
    return measure.measured == Measured::Always || std::ranges::any_of(clips, [&](const auto& clip) {
               return seriesOf(measure, metricsOf(clip)) != nullptr;
           });
}

}  // namespace reelgrid::metrics
