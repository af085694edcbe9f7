#pragma once

#include <cmath>
#include <cstdint>

namespace reelgrid {

/// What the measures of how far one output is from another follow from, each summed over all values.
struct DifferenceSums {
    double products = 0, referenceSquares = 0, otherSquares = 0;  ///< reference · other, and each with itself
    double distance = 0, distanceSquares = 0;                     ///< |other - reference|, and its square
    double reference = 0;                                         ///< |reference|
    std::int64_t count = 0;

    /// Of equal outputs, nothing but zeros too, 1.
    [[nodiscard]] double cosine() const {
        return distanceSquares == 0 ? 1 : products / std::sqrt(referenceSquares * otherSquares);
    }
    /// Of equal outputs 0.
    [[nodiscard]] double relativeL1() const { return distance == 0 ? 0 : distance / reference; }
    [[nodiscard]] double rmse() const { return std::sqrt(distanceSquares / static_cast<double>(count)); }
};

}  // namespace reelgrid
