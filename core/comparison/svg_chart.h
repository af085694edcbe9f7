#pragma once

#include <string>
#include <utility>
#include <vector>

namespace reelgrid::comparison {

struct Bar {
    std::string label;
    std::vector<std::pair<std::string, double>> parts;  ///< name and value, from the left
};
/// Horizontal stacked bars on one scale, with a legend of the parts and each total in `unit`.
std::string stackedBars(const std::vector<Bar>& bars, const std::string& unit);

struct Line {
    std::string label;
    std::vector<double> values;  ///< one a frame; NaN leaves a gap
    std::string color;           ///< as CSS: the same for a clip in every chart
};
/// Values over frame numbers, with a legend; empty when no line has two values.
std::string lineChart(const std::vector<Line>& lines, const std::string& valueName);

}  // namespace reelgrid::comparison
