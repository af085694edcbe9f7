#include "core/metrics/clip_metrics.h"

#include <algorithm>
#include <string>

#include "core/metrics/parallel_frames.h"
#include "core/metrics/psnr.h"
#include "core/metrics/ssim.h"
#include "core/metrics/temporal.h"
#include "core/metrics/warping_error.h"

namespace reelgrid::metrics {
namespace {

std::string sizeOf(const media::RgbVideo& video) {
    return std::to_string(video.width) + "x" + std::to_string(video.height);
}

Result<Drift> compare(const media::RgbVideo& video, const media::RgbVideo& reference) {
    if (reference.frameCount() == 0) return Error{ErrorCode::BadUsage, "the reference clip has no frames"};
    if (video.width != reference.width || video.height != reference.height)
        return Error{ErrorCode::BadUsage, "the clip is " + sizeOf(video) + ", the reference clip " +
                                              sizeOf(reference) + ": they must be of one size"};
    Drift drift;
    const int common = std::min(video.frameCount(), reference.frameCount());
    drift.referenceFrames = reference.frameCount();
    drift.comparedFrames = common;
    drift.psnr = seriesOf(perFrame(common, [&](int i) { return psnr(video.frame(i), reference.frame(i)); }));
    if (video.width >= kSsimWindow && video.height >= kSsimWindow)
        drift.ssim = seriesOf(perFrame(common, [&](int i) {
            return ssim(video.frame(i), reference.frame(i), video.width, video.height);
        }));
    return drift;
}

}  // namespace

Result<ClipMetrics> measure(const media::RgbVideo& video, const media::RgbVideo* reference) {
    ClipMetrics metrics;
    metrics.frames = video.frameCount();
    if (metrics.frames == 0) return Error{ErrorCode::BadUsage, "the clip has no frames to measure"};
    const Series difference = frameDifference(video);
    metrics.gates = gatesOf(video, difference);
    if (metrics.frames > 1) {
        metrics.frameCorrelation = frameCorrelation(video);
        metrics.flickering = flickering(difference);
        if (std::min(video.width, video.height) >= kLeastWarpedSide)
            metrics.warpingError = warpingError(video);
    }
    if (reference != nullptr) {
        auto drift = compare(video, *reference);
        if (!drift) return drift.error();
        metrics.drift = *std::move(drift);
    }
    return metrics;
}

}  // namespace reelgrid::metrics
