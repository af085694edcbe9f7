#include "core/comparison/clip_measurer.h"

#include <utility>

#include "core/media/rgb.h"
#include "core/protocol/attention_call.h"

namespace reelgrid::comparison {

ClipMeasurer::ClipMeasurer(std::filesystem::path reference, std::size_t mostBytes)
    : m_reference(std::move(reference)), m_mostBytes(mostBytes) {}

Result<const media::RgbVideo*> ClipMeasurer::referenceFrames() {
    if (!m_frames) {
        auto read = media::readRgb(m_reference, m_mostBytes);
        if (!read) return read.error();
        m_frames = *std::move(read);
    }
    return &*m_frames;
}

Result<bool> ClipMeasurer::complete(const std::filesystem::path& clip, metrics::ClipMetrics& known) {
    const bool wantsDrift = !known.drift && !m_reference.empty() && m_reference != clip;
    const bool wantsScores = known.frames == 0 || (!known.frameCorrelation && known.frames > 1);
    if (!wantsDrift && !wantsScores) return false;
    auto video = media::readRgb(clip, m_mostBytes);
    if (!video) return video.error();
    const media::RgbVideo* reference = nullptr;
    if (wantsDrift) {
        auto frames = referenceFrames();
        if (!frames) return frames.error();
        if ((*frames)->width == video->width && (*frames)->height == video->height) reference = *frames;
    }
    auto measured = metrics::measure(*video, reference);
    if (!measured) return measured.error();
    if (measured->drift) {
        measured->drift->reference = protocol::kReferenceBackend;
        measured->drift->referenceClip = m_reference.filename().string();
        measured->drift->measuredOn = metrics::kDecodedClips;
        known.drift = std::move(measured->drift);
    }
    if (!wantsScores) return known.drift.has_value();
    std::swap(measured->drift, known.drift);
    std::swap(measured->lockstep, known.lockstep);
    known = *std::move(measured);
    return true;
}

}  // namespace reelgrid::comparison
