#include "core/metrics/measures.h"

namespace reelgrid::metrics {

const Series* seriesOf(const Measure& measure, const ClipMetrics& metrics) {
    const std::optional<Series>* series = nullptr;
    if (measure.ofClip != nullptr) series = &(metrics.*measure.ofClip);
    if (measure.ofDrift != nullptr && metrics.drift) series = &((*metrics.drift).*measure.ofDrift);
    return series != nullptr && *series ? &**series : nullptr;
}

std::optional<double> numberOf(const Measure& measure, const ClipMetrics& metrics) {
    const Series* series = seriesOf(measure, metrics);
    if (series == nullptr) return std::nullopt;
    return series->mean;
}

}  // namespace reelgrid::metrics
