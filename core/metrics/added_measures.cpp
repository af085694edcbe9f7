#include "core/metrics/added_measures.h"

#include "core/metrics/measures.h"

namespace reelgrid::metrics {
namespace {

void addSeries(const std::optional<Series>& from, std::optional<Series>& into, Measured measured) {
    if (from && (!into || measured == Measured::OnRequest)) into = from;
}

}  // namespace

void addMeasures(const ClipMetrics& from, ClipMetrics& into) {
    if (into.frames == 0) into.frames = from.frames;
    if (!into.gates) into.gates = from.gates;
    if (!into.change) into.change = from.change;
    const bool takesDrift = from.drift && !into.drift;
    const bool isSameReference =
        !from.drift || takesDrift || from.drift->referenceSha256 == into.drift->referenceSha256;
    if (takesDrift) into.drift = from.drift;
    for (const Measure& measure : kMeasures) {
        if (measure.needsReference() && !isSameReference) continue;
        if (measure.ofClip != nullptr)
            addSeries(from.*measure.ofClip, into.*measure.ofClip, measure.measured);
        else if (from.drift && !takesDrift)
            addSeries((*from.drift).*measure.ofDrift, (*into.drift).*measure.ofDrift, measure.measured);
        const auto with = from.measuredWith.find(measure.key);
        if (with == from.measuredWith.end() || seriesOf(measure, from) == nullptr) continue;
        into.measuredWith[measure.key] = with->second;
        into.measuredWithSha256.erase(measure.key);
        if (const auto hash = from.measuredWithSha256.find(measure.key);
            hash != from.measuredWithSha256.end())
            into.measuredWithSha256[measure.key] = hash->second;
    }
}

bool dropOtherDrift(const std::string& referenceSha256, ClipMetrics& known) {
    if (!known.drift) return false;
    if (!referenceSha256.empty() && known.drift->referenceSha256 == referenceSha256) return false;
    known.drift.reset();
    for (const Measure& measure : kMeasures)
        if (measure.needsReference()) {
            known.measuredWith.erase(measure.key);
            known.measuredWithSha256.erase(measure.key);
        }
    return true;
}

}  // namespace reelgrid::metrics
