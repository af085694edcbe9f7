#include "core/comparison/clip_measurer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/comparison/caption.h"
#include "core/comparison/compared_frames.h"
#include "core/media/clip.h"
#include "core/media/rgb.h"
#include "core/metrics/added_measures.h"
#include "core/metrics/measures.h"
#include "core/result/clip_result.h"

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

void addScores(metrics::ClipMetrics& measured, metrics::ClipMetrics& known) {
    known.frames = measured.frames;
    if (!known.gates) known.gates = measured.gates;
    if (!known.change) known.change = measured.change;
    for (const metrics::Measure& measure : metrics::kMeasures) {
        if (measure.ofClip == nullptr) continue;
        auto& own = known.*measure.ofClip;
        auto& now = measured.*measure.ofClip;
        // An older file's mean without a list gives way: a mean is of the list beside it.
        if (!own || (own->perFrame.empty() && now)) own = std::move(now);
    }
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
    const ComparedPair source = comparedPair(clip, wantsDrift ? m_reference : std::filesystem::path(), stop);
    auto frames = media::RgbReader::open(source.clip);
    if (!frames) return frames.error();
    std::optional<media::RgbReader> reference;
    if (wantsDrift) {
        auto opened = media::RgbReader::open(source.reference);
        if (!opened) return opened.error();
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
        all.drift->measuredOn = source.isLossless ? metrics::kKeptFrames : metrics::kDecodedClips;
    }
    return all;
}

std::string ClipMeasurer::referenceSha256() const {
    if (m_reference.empty()) return {};
    const auto hash = m_hasher.hashFile(m_reference);
    return hash ? hash->sha256 : std::string();
}

void ClipMeasurer::nameReference(metrics::Drift& drift) const {
    drift.referenceSha256 = referenceSha256();
    drift.referenceClip = m_reference.filename().string();
    const result::Manifest manifest = result::readClipResult(m_reference).manifest;
    drift.reference = manifest.clipSha256 == drift.referenceSha256 ? captionOf(manifest).name : std::string();
}

Result<bool> ClipMeasurer::complete(const std::filesystem::path& clip, metrics::ClipMetrics& known,
                                    const std::stop_token& stop) const {
    const bool isItself = m_reference == clip;
    const std::string reference = isItself ? std::string() : referenceSha256();
    metrics::ClipMetrics complete = known;
    const bool isDropped = !m_reference.empty() && metrics::dropOtherDrift(reference, complete);
    const bool wantsDrift = !complete.drift && !m_reference.empty() && !isItself;
    const bool wantsScores = known.frames == 0 || (known.frames > 1 && lacksScores(known));
    if (wantsDrift || wantsScores) {
        auto measured = measureParts(clip, wantsDrift, stop);
        if (!measured) return measured.error();
        // Of a reference that was replaced meanwhile nobody knows which of the two was read.
        if (measured->drift && referenceSha256() == reference) {
            nameReference(*measured->drift);
            complete.drift = std::move(measured->drift);
        }
        if (wantsScores) addScores(*measured, complete);
    }
    const bool isAdded = wantsScores || (wantsDrift && complete.drift);
    known = std::move(complete);
    return isAdded || isDropped;
}

}  // namespace reelgrid::comparison
