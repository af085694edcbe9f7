#include "app/studio/comparison_charts.h"

#include <algorithm>
#include <utility>

#include "app/studio/difference_words.h"
#include "app/studio/playback.h"
#include "core/comparison/same_work.h"
#include "widgets/theme/qt_text.h"

namespace reelgrid::studio {

namespace {
// Measurements of many clips come in one after the other; a chart of hundreds takes a while to draw.
constexpr int kGatherMs = 30;

// Computes the same attention as the reference exactly, in another order.
constexpr const char* kNoiseFloorBackend = "fav2";

widgets::CurveRole roleOf(const ComparedClip& clip) {
    const bool ran = clip.facts->result.manifest.usedAttention() == kNoiseFloorBackend;
    return clip.backend == kNoiseFloorBackend && ran ? widgets::CurveRole::NoiseFloor
                                                     : widgets::CurveRole::Clip;
}

/// The clip that the others' times are compared with: the reference, else the first that has any.
const ComparedClip* baseOf(const Comparison& comparison) {
    const ComparedClip* reference = comparison.reference();
    if (reference != nullptr && reference->timing() != nullptr) return reference;
    const auto& clips = comparison.clips();
    const auto first =
        std::ranges::find_if(clips, [](const ComparedClip& clip) { return clip.timing() != nullptr; });
    return first == clips.end() ? nullptr : &*first;
}
}  // namespace

ComparisonCharts::ComparisonCharts(Comparison* comparison, widgets::TimingChart* timing,
                                   widgets::CoherenceChart* coherence, const Playback* playback,
                                   QObject* parent)
    : QObject(parent),
      m_comparison(comparison),
      m_timing(timing),
      m_coherence(coherence),
      m_playback(playback) {
    m_due.setSingleShot(true);
    m_due.setInterval(kGatherMs);
    connect(&m_due, &QTimer::timeout, this, &ComparisonCharts::draw);
    const auto drawSoon = [this] {
        if (!m_due.isActive()) m_due.start();
    };
    connect(m_comparison, &Comparison::factsChanged, this, drawSoon);
    connect(m_comparison, &Comparison::clipRemoved, this, drawSoon);
    connect(m_comparison, &Comparison::orderChanged, this, drawSoon);
    if (m_playback != nullptr)
        connect(m_playback->player(), &widgets::Player::timelineChanged, this, drawSoon);
    draw();
}

void ComparisonCharts::draw() {
    std::vector<widgets::RenderTiming> timings;
    std::vector<widgets::ClipCurves> curves;
    const ComparedClip *base = baseOf(*m_comparison), *reference = m_comparison->reference();
    std::size_t against = 0;
    const result::Manifest* first = nullptr;
    for (const ComparedClip& clip : m_comparison->clips()) {
        if (!clip.facts) continue;
        const ClipFacts& facts = *clip.facts;
        curves.push_back({clip.label, clip.color, facts.result.metrics,
                          m_playback != nullptr ? m_playback->frameTimes(clip) : facts.frameSeconds,
                          roleOf(clip), reference != nullptr ? otherContent(*reference, clip) : QString()});
        const result::Timing* timing = clip.timing();
        if (timing == nullptr) continue;
        if (base != nullptr && base->id == clip.id) against = timings.size();
        const result::Manifest& manifest = facts.result.manifest;
        if (first == nullptr) first = &manifest;
        // Times of clips that had something else to do say nothing of the machine.
        const bool isSameWork = comparison::hadSameWork(*first, manifest);
        timings.push_back({clip.label, clip.color, *timing,
                           isSameWork ? comparison::secondsOutsideAttention(facts.result) : std::nullopt,
                           manifest.calls, widgets::text(manifest.machine),
                           base != nullptr ? otherWork(*base, clip) : QString()});
    }
    m_timing->setTimings(std::move(timings), against);
    m_coherence->setCurves(std::move(curves));
}

}  // namespace reelgrid::studio
