#pragma once

#include <functional>
#include <string>
#include <vector>

namespace reelgrid::comparison {

/// From what to what a colour scale goes, in powers of ten.
struct LogScale {
    double low = 0;   ///< > 0
    double high = 0;  ///< ≥ low; 0: there is nothing to show

    /// Over the numbers above zero.
    static LogScale over(const std::vector<const std::vector<double>*>& lists);
    /// "#fd8d3c"; zero has the lowest colour.
    [[nodiscard]] std::string color(double value) const;
};

/// The colours with the numbers that they stand for, as SVG.
std::string scaleLegend(const LogScale& scale, const std::string& name);

/// Cells of one number each, as SVG: columns are steps, rows layers, and above them one row for the steps as
/// a whole.
struct HeatMap {
    int layers = 0, steps = 0;
    std::vector<double> sites;  ///< step · layers + layer; NaN: a grey cell
    std::vector<double> whole;  ///< one a step
    std::string wholeName;      ///< of that row
    std::function<std::string(int step, int layer)>
        title;  ///< what a cell says; layer −1: the step as a whole
};
std::string heatMap(const HeatMap& map, const LogScale& scale);

}  // namespace reelgrid::comparison
