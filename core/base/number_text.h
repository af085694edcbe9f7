#pragma once

#include <string>

namespace reelgrid {

/// A number with so many decimals: "1.50".
std::string fixed(double value, int decimals);
/// The same; with two significant digits where those decimals would round it away: "0.0049".
std::string fixedOrShort(double value, int decimals);
/// A number with so many significant digits: "0.0123", "1.2e-07".
std::string significant(double value, int digits);

}  // namespace reelgrid
