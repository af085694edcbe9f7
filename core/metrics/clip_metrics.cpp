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

void append(std::vector<double>& to, const std::vector<double>& values) {
    to.insert(to.end(), values.begin(), values.end());
}

}  // namespace

Result<void> ClipMeasurement::compare(const media::RgbVideo& part, const media::RgbVideo& reference,
                                      int first) {
    if (m_referenceFrames == 0 && reference.frameCount() == 0)
        return Error{ErrorCode::BadUsage, "the reference clip has no frames"};
    if (part.width != reference.width || part.height != reference.height)
        return Error{ErrorCode::BadUsage, "the clip is " + sizeOf(part) + ", the reference clip " +
                                              sizeOf(reference) + ": they must be of one size"};
    m_hasReference = true;
    m_referenceFrames += std::max(0, reference.frameCount() - first);
    const int common = std::min(part.frameCount(), reference.frameCount()) - first;
    append(m_psnr,
           perFrame(common, [&](int i) { return psnr(part.frame(first + i), reference.frame(first + i)); }));
    if (part.width >= kSsimWindow && part.height >= kSsimWindow)
        append(m_ssim, perFrame(common, [&](int i) {
                   return ssim(part.frame(first + i), reference.frame(first + i), part.width, part.height);
               }));
    if (std::min(part.width, part.height) >= kLeastMsSsimSide)
        append(m_msSsim, perFrame(common, [&](int i) {
                   return msSsim(part.frame(first + i), reference.frame(first + i), part.width, part.height);
               }));
    return {};
}

Result<void> ClipMeasurement::add(const media::RgbVideo& part, const media::RgbVideo* reference) {
    const int first = m_frames > 0 ? 1 : 0;
    if (part.frameCount() <= 0) return Error{ErrorCode::BadUsage, "the clip has no frames to measure"};
    if (reference != nullptr)
        if (auto compared = compare(part, *reference, first); !compared) return compared;
    m_width = part.width;
    m_height = part.height;
    m_frames += part.frameCount() - first;
    append(m_variance, perFrame(part.frameCount() - first,
                                [&](int i) { return luminanceVariance(part.frame(first + i)); }));
    for (int i = first; i < part.frameCount(); ++i) m_change.add(part.frame(i), m_width, m_height);
    append(m_difference, frameDifference(part).perFrame);
    append(m_correlation, frameCorrelation(part).perFrame);
    if (std::min(m_width, m_height) >= kLeastWarpedSide) append(m_warpingError, warpingError(part).perFrame);
    return {};
}

ClipMetrics ClipMeasurement::finish() const {
    ClipMetrics metrics;
    metrics.frames = m_frames;
    const Series difference = seriesOf(m_difference);
    metrics.gates = gatesOf(seriesOf(m_variance), difference);
    metrics.change = m_change.measures();
    if (m_frames > 1) {
        metrics.frameCorrelation = seriesOf(m_correlation);
        metrics.flickering = flickering(difference);
        if (std::min(m_width, m_height) >= kLeastWarpedSide) metrics.warpingError = seriesOf(m_warpingError);
    }
    if (!m_hasReference) return metrics;
    Drift& drift = metrics.drift.emplace();
    drift.referenceFrames = m_referenceFrames;
    drift.comparedFrames = int(m_psnr.size());
    drift.psnr = seriesOf(m_psnr);
    if (std::min(m_width, m_height) >= kSsimWindow) drift.ssim = seriesOf(m_ssim);
    if (std::min(m_width, m_height) >= kLeastMsSsimSide) drift.msSsim = seriesOf(m_msSsim);
    return metrics;
}

Result<ClipMetrics> measure(const media::RgbVideo& video, const media::RgbVideo* reference) {
    ClipMeasurement measurement;
    if (auto added = measurement.add(video, reference); !added) return added.error();
    return measurement.finish();
}

}  // namespace reelgrid::metrics
