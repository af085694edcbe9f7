#include "core/suite/suite_measures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/metrics/measures.h"
#include "core/result/warm_up.h"

namespace reelgrid::suite {
namespace {

constexpr double kMostScore = 1000, kMostCost = 1e9;
/// Decibels end at 100, which equal frames have.
constexpr MeasureRange kDecibels{0, 100}, kHundred{0, 100}, kLikeness{-1, 1}, kShare{0, 1},
    kDistance{0, kMostScore}, kCost{0, kMostCost};

constexpr std::array kSuiteMeasures{
    SuiteMeasure{"psnr", "PSNR", "dB", 2, Better::Higher, Tells::Drift, kDecibels},
    SuiteMeasure{"ssim", "SSIM", "", 4, Better::Higher, Tells::Drift, kLikeness},
    SuiteMeasure{"ms_ssim", "MS-SSIM", "", 4, Better::Higher, Tells::Drift, kLikeness},
    SuiteMeasure{"lpips", "LPIPS", "", 4, Better::Lower, Tells::Drift, kDistance},
    SuiteMeasure{"lpips_squeeze", "LPIPS (SqueezeNet)", "", 4, Better::Lower, Tells::Drift, kDistance},
    SuiteMeasure{"vmaf", "VMAF", "", 2, Better::Higher, Tells::Drift, kHundred},
    SuiteMeasure{"clip_score", "CLIP score", "", 2, Better::Higher, Tells::Clip, kHundred},
    SuiteMeasure{"subject_consistency", "subject consistency", "", 4, Better::Higher, Tells::Clip, kLikeness},
    SuiteMeasure{"background_consistency", "background consistency", "", 4, Better::Higher, Tells::Clip,
                 kLikeness},
    SuiteMeasure{"frame_correlation", "frame correlation", "", 4, Better::Higher, Tells::Clip, kLikeness},
    SuiteMeasure{"flickering", "flickering", "", 4, Better::Higher, Tells::Clip, kShare},
    SuiteMeasure{"warping_error", "warping error", "", 5, Better::Lower, Tells::Clip, kDistance},
    SuiteMeasure{"denoise_seconds", "denoising", "s", 2, Better::Lower, Tells::Cost, kCost},
    SuiteMeasure{"steady_denoise_seconds", "denoising after warm-up", "s", 2, Better::Lower, Tells::Cost,
                 kCost},
    SuiteMeasure{"render_seconds", "render", "s", 2, Better::Lower, Tells::Cost, kCost},
    SuiteMeasure{"peak_mib", "most memory", "MiB", 0, Better::Lower, Tells::Cost, kCost},
};

}  // namespace

std::span<const SuiteMeasure> suiteMeasures() {
    return kSuiteMeasures;
}

const SuiteMeasure* suiteMeasure(const std::string& key) {
    const auto found =
        std::ranges::find_if(kSuiteMeasures, [&](const SuiteMeasure& measure) { return key == measure.key; });
    return found == kSuiteMeasures.end() ? nullptr : &*found;
}

bool isPossible(const SuiteMeasure& measure, double value) {
    // Rounding takes a number past a range's end, but not below 0 where none is negative.
    const double most = measure.tells == Tells::Cost ? kMostCost : kMostScore;
    return value >= (measure.range.least < 0 ? -most : 0) && value <= most;
}

std::optional<double> numberAt(const Measured& measured, const SuiteMeasure& measure) {
    const auto found = measured.find(measure.key);
    return found == measured.end() ? std::nullopt : std::optional(found->second);
}

Measured measuredOf(const result::ClipResult& clip) {
    Measured measured;
    for (const metrics::Measure& measure : metrics::kMeasures)
        if (const auto value = numberOf(measure, clip.metrics); value && std::isfinite(*value))
            measured[measure.key] = *value;
    const result::Timing* timing = clip.timing();
    if (timing == nullptr) return measured;
    if (const auto seconds = timing->stage("denoise")) measured["denoise_seconds"] = *seconds;
    if (const auto seconds = steadyDenoiseSeconds(*timing)) measured["steady_denoise_seconds"] = *seconds;
    if (const double seconds = timing->renderSeconds(); seconds > 0) measured["render_seconds"] = seconds;
    if (const auto peak = timing->peakOfRender()) measured["peak_mib"] = double(*peak) / (1 << 20);
    return measured;
}

}  // namespace reelgrid::suite
