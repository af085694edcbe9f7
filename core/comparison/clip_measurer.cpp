#include "core/comparison/clip_measurer.h"

#include <algorithm>
#include <utility>

#include "core/media/rgb.h"
#include "core/metrics/measures.h"
#include "core/protocol/attention_call.h"

namespace reelgrid::comparison {

namespace {

/// What older files have no numbers of.
bool lacksScores(const metrics::ClipMetrics& known) {
    return std::ranges::any_of(metrics::kMeasures, [&](const metrics::Measure& measure) {
        if (measure.ofClip == nullptr) return false;
        const auto& series = known.*measure.ofClip;
        return !series || series->perFrame.empty();
    });
}

}  // namespace

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
    const bool wantsScores = known.frames == 0 || (known.frames > 1 && lacksScores(known));
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
    known.frames = measured->frames;
    if (!known.gates) known.gates = measured->gates;
    for (const metrics::Measure& measure : metrics::kMeasures) {
        if (measure.ofClip == nullptr) continue;
        auto& own = known.*measure.ofClip;
        auto& now = (*measured).*measure.ofClip;
        // An older file's mean is of the frames before encoding: it stays.
        if (!own)
            own = std::move(now);
        else if (own->perFrame.empty() && now)
            own->perFrame = std::move(now->perFrame);
    }
    return true;
}

}  // namespace reelgrid::comparison
