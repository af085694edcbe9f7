#include "app/studio/measurement_reader.h"

#include <algorithm>
#include <cmath>

#include "core/media/clip.h"
#include "core/metrics/clip_metrics.h"
#include "core/session/clip_label.h"
#include "core/session/same_work.h"

namespace reelgrid::studio {

namespace {

using widgets::ClipCurves;
using widgets::FrameMeasure;

// Of RGB frames; two clips are in memory at once. Longer ones stay unmeasured, which the problem line says.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// Entry i of a correlation is for frames i and i+1 and stands at the later one's time.
enum class EntryIs { Frame, PairWithNext };

void put(ClipCurves& curves, FrameMeasure measure, const std::vector<double>& perFrame,
         const std::vector<double>& times, EntryIs entry) {
    auto& points = curves.points[std::size_t(measure)];
    points.clear();
    const std::size_t shift = entry == EntryIs::PairWithNext ? 1 : 0;
    for (std::size_t i = 0; i < perFrame.size() && i + shift < times.size(); ++i)
        points.push_back({times[i + shift], perFrame[i]});
}

widgets::RenderTiming timingOf(const session::RunTiming& run) {
    widgets::RenderTiming timing;
    for (const auto& [stage, seconds] : run.stages)
        timing.stages.emplace_back(QString::fromStdString(stage), seconds);
    if (run.stages.empty()) {
        // Files of other tools have these two alone.
        if (run.pipeTime && run.vaeDecodeTime)
            timing.stages.emplace_back("denoise", std::max(0.0, *run.pipeTime - *run.vaeDecodeTime));
        if (run.vaeDecodeTime) timing.stages.emplace_back("decode", *run.vaeDecodeTime);
    }
    timing.steps = run.steps;
    return timing;
}

void measureWhatIsMissing(const std::filesystem::path& clip, const std::filesystem::path& reference,
                          const std::vector<double>& times, ClipCurves& curves, QStringList& problems) {
    const auto video = media::readRgb(clip, kMostBytes);
    if (!video) return problems.append(QString::fromStdString(video.error().message));
    std::optional<media::RgbVideo> other;
    if (!reference.empty()) {
        auto read = media::readRgb(reference, kMostBytes);
        if (!read) return problems.append(QString::fromStdString(read.error().message));
        // Another size has no frame-by-frame comparison: that stays absent.
        if (read->width == video->width && read->height == video->height) other = std::move(read).value();
    }
    const auto measured = metrics::measure(*video, other ? &*other : nullptr);
    if (!measured) return problems.append(QString::fromStdString(measured.error().message));
    if (measured->frameCorrelation && curves.points[std::size_t(FrameMeasure::Correlation)].empty())
        put(curves, FrameMeasure::Correlation, measured->frameCorrelation->perFrame, times,
            EntryIs::PairWithNext);
    if (!measured->reference) return;
    put(curves, FrameMeasure::Psnr, measured->reference->psnr.perFrame, times, EntryIs::Frame);
    if (measured->reference->ssim)
        put(curves, FrameMeasure::Ssim, measured->reference->ssim->perFrame, times, EntryIs::Frame);
}

}  // namespace

ReadFacts readClipFacts(const std::filesystem::path& clip, const std::filesystem::path& reference,
                        const std::stop_token& stop) {
    ReadFacts read;
    ClipFacts& facts = read.facts;
    const session::ClipMeasurements known = session::readClipMeasurements(clip);
    for (const Error& error : known.problems) read.problems.append(QString::fromStdString(error.message));
    if (!known.runs.empty()) {
        facts.timing = timingOf(known.runs.back());
        facts.timing->outsideAttention = session::secondsOutsideAttention(known).value_or(-1);
    }

    if (known.request)
        facts.label = QString::fromStdString(session::clipLabel(
            protocol::attentionName(known.request->attentionType, known.request->attentionPolicy), known));

    const auto opened = media::Clip::open(clip);
    if (!opened || stop.stop_requested()) return read;  // the player says what is wrong with the clip
    const std::vector<double>& times = opened.value()->info().frameSeconds;
    ClipCurves curves;
    if (known.frameCorrelation)
        put(curves, FrameMeasure::Correlation, known.frameCorrelation->perFrame, times,
            EntryIs::PairWithNext);
    if (known.drift && known.drift->psnr)
        put(curves, FrameMeasure::Psnr, known.drift->psnr->perFrame, times, EntryIs::Frame);
    if (known.drift && known.drift->ssim)
        put(curves, FrameMeasure::Ssim, known.drift->ssim->perFrame, times, EntryIs::Frame);
    const bool wantsReference = !reference.empty() && reference != clip && !known.drift;
    if (!known.frameCorrelation || wantsReference)
        measureWhatIsMissing(clip, wantsReference ? reference : std::filesystem::path(), times, curves,
                             read.problems);
    facts.curves = std::move(curves);
    return read;
}

}  // namespace reelgrid::studio
