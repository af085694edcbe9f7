#include "core/base/number_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace reelgrid {

std::string fixed(double value, int decimals) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
    return text.data();
}

std::string fixedOrShort(double value, int decimals) {
    const bool isRoundedAway = std::abs(value) * std::pow(10, decimals) < 10;
    return isRoundedAway && value != 0 ? significant(value, 2) : fixed(value, decimals);
}

std::string significant(double value, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    return text.data();
}

}  // namespace reelgrid
