#pragma once

#include <vector>

namespace reelgrid::metrics {

/// One number a frame (or a pair of frames) and their mean. NaN marks a frame for which the measure has no
/// value; the mean is over the others, and NaN where there are none.
struct Series {
    double mean = 0;
    std::vector<double> perFrame;
};

Series seriesOf(std::vector<double> perFrame);

}  // namespace reelgrid::metrics
