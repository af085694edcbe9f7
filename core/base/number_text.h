#pragma once

#include <string>

namespace reelgrid {

/// A number with so many decimals: "1.50".
std::string fixed(double value, int decimals);

}  // namespace reelgrid
