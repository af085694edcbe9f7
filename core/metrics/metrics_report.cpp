#include "core/metrics/metrics_report.h"

#include <cmath>
#include <sstream>

#include "core/metrics/measures.h"

namespace reelgrid::metrics {
namespace {

std::string rounded(double value) {
    std::ostringstream text;
    text.precision(3);
    text << value;
    return text.str();
}

void addCell(std::ostringstream& line, const Series* series, int frame) {
    line << ',';
    if (series == nullptr || frame >= int(series->perFrame.size())) return;
    const double value = series->perFrame[std::size_t(frame)];
    if (std::isfinite(value)) line << value;
}

}  // namespace

std::string metricsCsv(const ClipMetrics& metrics) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(9);
    text << "frame";
    std::vector<const Measure*> columns;
    for (const Measure& measure : kMeasures)
        if (measure.measured == Measured::Always || seriesOf(measure, metrics) != nullptr)
            columns.push_back(&measure);
    for (const Measure* measure : columns) text << ',' << measure->key;
    text << '\n';
    for (int frame = 0; frame < metrics.frames; ++frame) {
        text << frame;
        for (const Measure* measure : columns) addCell(text, seriesOf(*measure, metrics), frame);
        text << '\n';
    }
    return text.str();
}

std::string gateWarning(const ClipGates& gates) {
    if (gates.flat)
        return "the clip is one flat colour (luminance variance " + rounded(gates.luminanceVariance) +
               ", at least " + rounded(kLeastVariance) + " was expected): its scores mean nothing";
    if (gates.frozen)
        return "nothing moves in the clip (frames differ by " + rounded(gates.motion) + " codes, at least " +
               rounded(kLeastMotion) + " was expected): its temporal scores mean nothing";
    return {};
}

}  // namespace reelgrid::metrics
