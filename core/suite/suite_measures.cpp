#include "core/suite/suite_measures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/metrics/measures.h"
#include "core/result/warm_up.h"

namespace reelgrid::suite {
namespace {

constexpr std::array kSuiteMeasures{
    SuiteMeasure{"psnr", "PSNR", "dB", 2, Better::Higher, Tells::Drift},
    SuiteMeasure{"ssim", "SSIM", "", 4, Better::Higher, Tells::Drift},
    SuiteMeasure{"ms_ssim", "MS-SSIM", "", 4, Better::Higher, Tells::Drift},
    SuiteMeasure{"lpips", "LPIPS", "", 4, Better::Lower, Tells::Drift},
    SuiteMeasure{"lpips_squeeze", "LPIPS (SqueezeNet)", "", 4, Better::Lower, Tells::Drift},
    SuiteMeasure{"vmaf", "VMAF", "", 2, Better::Higher, Tells::Drift},
    SuiteMeasure{"clip_score", "CLIP score", "", 2, Better::Higher, Tells::Clip},
    SuiteMeasure{"subject_consistency", "subject consistency", "", 4, Better::Higher, Tells::Clip},
    SuiteMeasure{"background_consistency", "background consistency", "", 4, Better::Higher, Tells::Clip},
    SuiteMeasure{"frame_correlation", "frame correlation", "", 4, Better::Higher, Tells::Clip},
    SuiteMeasure{"flickering", "flickering", "", 4, Better::Higher, Tells::Clip},
    SuiteMeasure{"warping_error", "warping error", "", 5, Better::Lower, Tells::Clip},
    SuiteMeasure{"denoise_seconds", "denoising", "s", 2, Better::Lower, Tells::Cost},
    SuiteMeasure{"steady_denoise_seconds", "denoising after warm-up", "s", 2, Better::Lower, Tells::Cost},
    SuiteMeasure{"render_seconds", "render", "s", 2, Better::Lower, Tells::Cost},
    SuiteMeasure{"peak_mib", "most memory", "MiB", 0, Better::Lower, Tells::Cost},
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
    constexpr double kMostScore = 1000, kMostCost = 1e9;
    return measure.tells == Tells::Cost ? value >= 0 && value <= kMostCost : std::abs(value) <= kMostScore;
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
