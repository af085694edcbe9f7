#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/suite/suite_measures.h"

namespace reelgrid::suite {

/// "psnr>=40@95%": of the clips that were compared, at least so many percent are so good.
struct Gate {
    std::string text;  ///< as it was given
    std::string key;
    Better better = Better::Higher;  ///< the side of `value` that a clip must be on
    double value = 0;
    double percent = 100;

    [[nodiscard]] bool isMetBy(double measured) const {
        return better == Better::Higher ? measured >= value : measured <= value;
    }
    /// Whether enough of a backend's clips met it.
    [[nodiscard]] bool isPassedBy(std::size_t met, std::size_t clips) const {
        return double(met) * 100 >= percent * double(clips);
    }
};

/// KEY>=NUMBER or KEY<=NUMBER, and @PERCENT% where not all have to be. BadUsage naming what was needed,
/// also for a number that the measure never has.
Result<Gate> gateFrom(const std::string& text);

}  // namespace reelgrid::suite
