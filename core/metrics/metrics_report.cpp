#include "core/metrics/metrics_report.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

namespace reelgrid::metrics {
namespace {

using Json = nlohmann::ordered_json;

Json numberOrNull(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json jsonOf(const Series& series) {
    Json perFrame = Json::array();
    for (const double value : series.perFrame) perFrame.push_back(numberOrNull(value));
    return {{"mean", numberOrNull(series.mean)}, {"per_frame", std::move(perFrame)}};
}

Json jsonOf(const ClipGates& gates) {
    return {{"passed", gates.passed()},
            {"flat", gates.flat},
            {"frozen", gates.frozen},
            {"luminance_variance", numberOrNull(gates.luminanceVariance)},
            {"motion", numberOrNull(gates.motion)},
            {"frozen_pairs", gates.frozenPairs}};
}

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

std::string metricsJson(const ClipMetrics& metrics) {
    Json json;
    json["frames"] = metrics.frames;
    if (metrics.frameCorrelation) json["frame_correlation"] = jsonOf(*metrics.frameCorrelation);
    if (metrics.flickering) json["flickering"] = *metrics.flickering;
    if (metrics.reference) {
        json["psnr"] = jsonOf(metrics.reference->psnr);
        if (metrics.reference->ssim) json["ssim"] = jsonOf(*metrics.reference->ssim);
        json["reference"] = {{"frames", metrics.reference->referenceFrames},
                             {"compared_frames", metrics.reference->comparedFrames}};
    }
    json["gates"] = jsonOf(metrics.gates);
    return json.dump(2);
}

std::string metricsCsv(const ClipMetrics& metrics) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(9);
    text << "frame,frame_correlation,psnr,ssim\n";
    const Series* correlation = metrics.frameCorrelation ? &*metrics.frameCorrelation : nullptr;
    const Series* psnr = metrics.reference ? &metrics.reference->psnr : nullptr;
    const Series* ssim = metrics.reference && metrics.reference->ssim ? &*metrics.reference->ssim : nullptr;
    for (int frame = 0; frame < metrics.frames; ++frame) {
        text << frame;
        for (const Series* series : {correlation, psnr, ssim}) addCell(text, series, frame);
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
