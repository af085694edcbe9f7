#pragma once

#include <string>
#include <utility>
#include <vector>

namespace reelgrid::cli {

/// The text as it may stand in HTML and SVG, in content and in quoted attributes.
std::string escaped(const std::string& text);

/// A colour for the n-th series, as CSS; distinct for the first eight, also to most colour-blind readers.
const char* seriesColor(std::size_t index);

struct Bar {
    std::string label;
    std::vector<std::pair<std::string, double>> parts;  ///< name and value, from the left
};
/// Horizontal stacked bars on one scale, with a legend of the parts and each total in `unit`.
std::string stackedBars(const std::vector<Bar>& bars, const std::string& unit);

struct Line {
    std::string label;
    std::vector<double> values;  ///< one a frame; NaN leaves a gap
    std::size_t color = 0;       ///< its seriesColor(): the same for a clip in every chart
};
/// Values over frame numbers, with a legend; empty when no line has two values.
std::string lineChart(const std::vector<Line>& lines, const std::string& valueName);

}  // namespace reelgrid::cli
