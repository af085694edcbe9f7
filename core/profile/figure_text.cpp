#include "core/profile/figure_text.h"

#include <cmath>

#include "core/base/number_text.h"

namespace reelgrid::profile {

std::string timeText(std::int64_t nanoseconds) {
    const double ns = static_cast<double>(nanoseconds), size = std::abs(ns);
    if (size >= 1e9) return fixed(ns * 1e-9, 3) + "s";
    if (size >= 1e6) return fixed(ns * 1e-6, 3) + "ms";
    return fixed(ns * 1e-3, 3) + "us";
}

std::string shareText(std::int64_t part, std::int64_t whole) {
    if (whole <= 0) return "-";
    return fixed(100 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

}  // namespace reelgrid::profile
