#include "core/comparison/svg_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/number_text.h"
#include "core/comparison/html.h"
#include "core/comparison/svg_elements.h"

namespace reelgrid::comparison {
namespace {

// Pixels of the drawing's own coordinates.
constexpr double kWidth = 760;
constexpr double kLabelWidth = 150;
constexpr double kValueWidth = 80;
constexpr double kBarHeight = 22;
constexpr double kBarPitch = 32;
constexpr double kPlotHeight = 200;
constexpr double kAxisWidth = 64;

/// A colour for the n-th part of the bars; distinct for the first eight, also to most colour-blind readers.
std::string partColor(std::size_t index) {
    // Okabe and Ito's palette, without its yellow and black.
    constexpr std::array kColors{"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                 "#cc79a7", "#56b4e9", "#7f7f7f", "#8c564b"};
    return kColors[index % kColors.size()];
}

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
};

Range rangeOf(const std::vector<Line>& lines) {
    Range range;
    for (const Line& line : lines)
        for (const double value : line.values)
            if (std::isfinite(value)) {
                range.low = std::min(range.low, value);
                range.high = std::max(range.high, value);
            }
    if (range.high - range.low < 1e-9) {
        range.low -= 0.5;
        range.high += 0.5;
    }
    return range;
}

std::string pathOf(const Line& line, const Range& range, std::size_t count, double top) {
    std::string path;
    bool drawing = false;
    for (std::size_t i = 0; i < line.values.size(); ++i) {
        const double value = line.values[i];
        if (!std::isfinite(value)) {
            drawing = false;
            continue;
        }
        const double x =
            kAxisWidth + (kWidth - kAxisWidth - 10) * double(i) / double(std::max<std::size_t>(1, count - 1));
        const double y = top + kPlotHeight * (range.high - value) / (range.high - range.low);
        path += (drawing ? "L" : "M") + svgNumber(x) + " " + svgNumber(y);
        drawing = true;
    }
    return path;
}

}  // namespace

std::string stackedBars(const std::vector<Bar>& bars, const std::string& unit) {
    std::vector<std::string> names;
    double longest = 0;
    for (const Bar& bar : bars) {
        double total = 0;
        for (const auto& [name, value] : bar.parts) {
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
            total += value;
        }
        longest = std::max(longest, total);
    }
    if (longest <= 0) return {};
    const double scale = (kWidth - kLabelWidth - kValueWidth) / longest;
    std::vector<SvgKey> keys;
    for (const std::string& name : names) keys.push_back({name, partColor(keys.size())});
    const SvgLegend legend = svgLegend(keys, kLabelWidth, kWidth);
    std::string svg = legend.svg;
    double y = legend.height;
    for (const Bar& bar : bars) {
        svg += svgName(kLabelWidth - 8, y + 16, bar.label, kLabelWidth - 8, TextAnchor::End);
        double x = kLabelWidth;
        double total = 0;
        for (const auto& [name, value] : bar.parts) {
            const auto color = std::size_t(std::find(names.begin(), names.end(), name) - names.begin());
            svg += svgRectangle(x, y, value * scale, kBarHeight, partColor(color));
            x += value * scale;
            total += value;
        }
        svg += svgText(x + 6, y + 16, fixed(total, 2) + " " + unit);
        y += kBarPitch;
    }
    return svgDrawing(kWidth, y, svg);
}

std::string lineChart(const std::vector<Line>& lines, const std::string& valueName) {
    std::size_t count = 0;
    std::vector<SvgKey> keys;
    for (const Line& line : lines) {
        count = std::max(count, line.values.size());
        keys.push_back({line.label, line.color});
    }
    const Range range = rangeOf(lines);
    if (count < 2 || !std::isfinite(range.low)) return {};
    const SvgLegend legend = svgLegend(keys, kAxisWidth, kWidth - 10);
    std::string svg = legend.svg;
    const double bottom = legend.height + kPlotHeight;
    for (const double share : {0.0, 0.5, 1.0}) {
        const double y = bottom - share * kPlotHeight;
        svg += svgLine(kAxisWidth, y, kWidth - 10, y, "#ddd") +
               svgText(kAxisWidth - 6, y + 4, fixed(range.low + share * (range.high - range.low), 3),
                       TextAnchor::End);
    }
    for (const Line& line : lines)
        svg += "<path d=\"" + pathOf(line, range, count, legend.height) +
               "\" fill=\"none\" stroke-width=\"2\" stroke=\"" + line.color + "\"><title>" +
               escaped(line.label) + "</title></path>";
    svg += svgText(kAxisWidth, bottom + 18, "0") +
           svgText(kWidth - 10, bottom + 18, std::to_string(count - 1), TextAnchor::End) +
           svgText((kAxisWidth + kWidth) / 2, bottom + 18, valueName + " over frames", TextAnchor::Middle);
    return svgDrawing(kWidth, bottom + 26, svg);
}

}  // namespace reelgrid::comparison
