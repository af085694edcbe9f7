#include "core/comparison/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/number_text.h"
#include "core/comparison/html.h"

namespace reelgrid::comparison {
namespace {

constexpr double kMapWidth = 900;
constexpr double kLeft = 90;
constexpr double kRowHeight = 18;
constexpr double kGap = 6;  ///< between the steps as a whole and their layers
constexpr double kAxisHeight = 34;
constexpr const char* kAbsent = "#d9d9d9";

struct Stop {
    double red, green, blue;
};
/// From light to dark, so that print and colour-blind readers have it too (ColorBrewer's YlOrRd).
constexpr std::array<Stop, 5> kStops{
    {{255, 255, 204}, {254, 217, 118}, {253, 141, 60}, {227, 26, 28}, {128, 0, 38}}};

std::string at(double value) {
    return fixed(value, 1);
}

std::string colorAt(double share) {
    const double place = std::clamp(share, 0.0, 1.0) * double(kStops.size() - 1);
    const auto below = std::min(std::size_t(place), kStops.size() - 2);
    const double t = place - double(below);
    const auto mixed = [&](double Stop::*part) {
        return int(std::lround(kStops[below].*part * (1 - t) + kStops[below + 1].*part * t));
    };
    char text[8];
    std::snprintf(text, sizeof text, "#%02x%02x%02x", mixed(&Stop::red), mixed(&Stop::green),
                  mixed(&Stop::blue));
    return text;
}

std::string text(double x, double y, const std::string& content, const char* anchor) {
    return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\">" +
           escaped(content) + "</text>";
}

/// Every how many rows or columns a number fits.
int labelEvery(double pitch, double needed) {
    for (const int every : {1, 2, 5, 10, 20, 50, 100})
        if (pitch * every >= needed) return every;
    return 200;
}

}  // namespace

LogScale LogScale::over(const std::vector<const std::vector<double>*>& lists) {
    LogScale scale;
    for (const auto* list : lists)
        for (const double value : *list) {
            if (!std::isfinite(value) || value <= 0) continue;
            scale.low = scale.high == 0 ? value : std::min(scale.low, value);
            scale.high = std::max(scale.high, value);
        }
    return scale;
}

std::string LogScale::color(double value) const {
    if (!std::isfinite(value)) return kAbsent;
    if (value <= 0 || high <= low) return colorAt(0);
    return colorAt(std::log(value / low) / std::log(high / low));
}

std::string scaleLegend(const LogScale& scale, const std::string& name) {
    constexpr int kParts = 48, kLabels = 4;
    constexpr double kBar = 480, kScaleHeight = 12;
    std::string svg;
    for (int part = 0; part < kParts; ++part)
        svg += "<rect x=\"" + at(kLeft + kBar * part / kParts) + "\" y=\"16\" width=\"" +
               at(kBar / kParts + 0.5) + "\" height=\"" + at(kScaleHeight) + "\" fill=\"" +
               colorAt(double(part) / (kParts - 1)) + "\"/>";
    for (int label = 0; label <= kLabels; ++label) {
        const double share = double(label) / kLabels;
        const double value = scale.low * std::pow(scale.high / scale.low, share);
        svg += text(kLeft + kBar * share, 42, significant(value, 2), "middle");
    }
    svg += text(kLeft, 11, name, "start") + "<rect x=\"" + at(kLeft + kBar + 40) +
           "\" y=\"16\" width=\"14\" height=\"12\" fill=\"" + kAbsent + "\"/>" +
           text(kLeft + kBar + 60, 26, "not measured", "start");
    return "<svg viewBox=\"0 0 " + at(kMapWidth) + " 48\" role=\"img\">" + svg + "</svg>";
}

std::string heatMap(const HeatMap& map, const LogScale& scale) {
    const double pitch = std::min(40.0, (kMapWidth - kLeft - 8) / map.steps);
    const double top = kRowHeight + kGap;
    const auto rectangle = [&](int step, int layer, double y, double value) {
        return "<rect x=\"" + at(kLeft + pitch * step) + "\" y=\"" + at(y) + "\" width=\"" + at(pitch - 0.6) +
               "\" height=\"" + at(kRowHeight - 0.6) + "\" fill=\"" + scale.color(value) + "\"><title>" +
               escaped(map.title(step, layer)) + "</title></rect>";
    };
    std::string svg = text(kLeft - 6, kRowHeight - 5, map.wholeName, "end");
    const int everyRow = labelEvery(kRowHeight, 14), everyColumn = labelEvery(pitch, 24);
    for (int step = 0; step < map.steps; ++step) {
        svg += rectangle(step, -1, 0, map.whole[std::size_t(step)]);
        for (int layer = 0; layer < map.layers; ++layer)
            svg += rectangle(step, layer, top + kRowHeight * layer,
                             map.sites[std::size_t(step) * std::size_t(map.layers) + std::size_t(layer)]);
    }
    for (int layer = 0; layer < map.layers; layer += everyRow)
        svg += text(kLeft - 6, top + kRowHeight * layer + 13, "layer " + std::to_string(layer), "end");
    const double bottom = top + kRowHeight * map.layers;
    for (int step = 0; step < map.steps; step += everyColumn)
        svg += text(kLeft + pitch * (step + 0.5), bottom + 14, std::to_string(step), "middle");
    svg += text(kLeft + pitch * map.steps / 2, bottom + 30, "denoising step", "middle");
    return "<svg viewBox=\"0 0 " + at(kMapWidth) + " " + at(bottom + kAxisHeight) + "\" role=\"img\">" + svg +
           "</svg>";
}

}  // namespace reelgrid::comparison
