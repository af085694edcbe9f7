#include "core/comparison/clip_measurer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/comparison/compared_frames.h"
#include "core/media/clip.h"
#include "core/media/rgb.h"
#include "core/metrics/measures.h"
#include "core/protocol/attention_call.h"

namespace reelgrid::comparison {

namespace {

/// What older files have no numbers of.
bool lacksScores(const metrics::ClipMetrics& known) {
    return std::ranges::any_of(metrics::kMeasures, [&](const metrics::Measure& measure) {
        if (measure.ofClip == nullptr || measure.measured == metrics::Measured::OnRequest) return false;
        const auto& series = known.*measure.ofClip;
        return !series || series->perFrame.empty();
    });
}

void keepLastFrame(media::RgbVideo& part) {
    if (part.frameCount() == 0) return;
    part.pixels.erase(part.pixels.begin(), part.pixels.end() - std::ptrdiff_t(part.frameBytes()));
}

}  // namespace

ClipMeasurer::ClipMeasurer(std::filesystem::path reference, std::size_t partBytes)
    : m_reference(std::move(reference)), m_partBytes(partBytes) {}

Result<metrics::ClipMetrics> ClipMeasurer::measureParts(const std::filesystem::path& clip, bool wantsDrift,
                                                        const std::stop_token& stop) const {
    const ComparedFrames source = comparedFrames(clip, stop);
    auto frames = media::RgbReader::open(source.file);
    if (!frames) return frames.error();
    std::optional<media::RgbReader> reference;
    bool areKept = false;
    if (wantsDrift) {
        const ComparedFrames referenceSource = comparedFrames(m_reference, stop);
        auto opened = media::RgbReader::open(referenceSource.file);
        if (!opened) return opened.error();
        areKept = source.isLossless && referenceSource.isLossless;
        if (opened->info().width == frames->info().width && opened->info().height == frames->info().height)
            reference.emplace(*std::move(opened));
    }
    if (frames->info().frameCount() <= 0)
        return Error{ErrorCode::BadUsage, clip.string() + ": the clip has no frames to measure"};
    metrics::ClipMeasurement measurement;
    media::RgbVideo part{frames->info().width, frames->info().height, {}, {}};
    media::RgbVideo referencePart = part;
    // The last frame of the part before and at least one more.
    const auto most = int(std::clamp<std::size_t>(m_partBytes / part.frameBytes() / 2, 2, 1 << 20));
    for (int left = frames->info().frameCount(); left > 0;) {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "measuring was cancelled"};
        keepLastFrame(part);
        const auto read = frames->read(most - part.frameCount(), part);
        if (!read) return read.error();
        left -= *read;
        if (reference) {
            keepLastFrame(referencePart);
            // Of a longer reference all frames are counted, though those beyond the clip are not compared.
            if (auto added = reference->read(most - referencePart.frameCount(), referencePart); !added)
                return added.error();
        }
        if (auto added = measurement.add(part, reference ? &referencePart : nullptr); !added)
            return added.error().in(clip.string());
    }
    metrics::ClipMetrics all = measurement.finish();
    if (all.drift) {
        all.drift->referenceFrames = reference->info().frameCount();
        all.drift->measuredOn = areKept ? metrics::kKeptFrames : metrics::kDecodedClips;
    }
    return all;
}

Result<bool> ClipMeasurer::complete(const std::filesystem::path& clip, metrics::ClipMetrics& known,
                                    const std::stop_token& stop) const {
    const bool wantsDrift = !known.drift && !m_reference.empty() && m_reference != clip;
    const bool wantsScores = known.frames == 0 || (known.frames > 1 && lacksScores(known));
    if (!wantsDrift && !wantsScores) return false;
    auto measured = measureParts(clip, wantsDrift, stop);
    if (!measured) return measured.error();
    if (measured->drift) {
        measured->drift->reference = protocol::kReferenceBackend;
        measured->drift->referenceClip = m_reference.filename().string();
        known.drift = std::move(measured->drift);
    }
    if (!wantsScores) return known.drift.has_value();
    known.frames = measured->frames;
    if (!known.gates) known.gates = measured->gates;
    if (!known.change) known.change = measured->change;
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
