#include "kernels/backends/option_bounds.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "kernels/backends/backend_option.h"

namespace reelgrid::kernels {
namespace {

struct Row {
    std::string_view backend, key;
    OptionBounds bounds;
};

constexpr std::array kRows{
    Row{"sparge", "simthreshd1", {.least = -1, .most = 1}},
    Row{"sparge", "cdfthreshd", {.least = 0, .most = 1}},
    Row{"sparge", "pvthreshd", {.least = 0, .includesLeast = false}},
    Row{"sta", "tile", {.least = 1}},
    Row{"sta", "window", {.least = 1}},
    Row{"radial", "decay", {.least = 0, .includesLeast = false}},
};

std::string shortest(double number) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

}  // namespace

bool OptionBounds::contains(double number) const {
    return (includesLeast ? number >= least : number > least) && number <= most;
}

std::string OptionBounds::text() const {
    if (!includesLeast) return "more than " + shortest(least);
    return std::isinf(most) ? shortest(least) + " or more" : shortest(least) + " to " + shortest(most);
}

std::optional<OptionBounds> boundsOfOption(std::string_view backend, std::string_view key) {
    const auto row = std::ranges::find_if(
        kRows, [&](const Row& each) { return each.backend == backend && each.key == key; });
    return row == kRows.end() ? std::nullopt : std::optional(row->bounds);
}

std::optional<std::string> whyNotWithinBounds(std::string_view backend, std::string_view key,
                                              std::string_view value) {
    const auto bounds = boundsOfOption(backend, key);
    if (!bounds) return std::nullopt;
    for (const double number : numbersOf(value))
        if (!bounds->contains(number))
            return std::string(1, '.').append(key).append(": ").append(bounds->text()).append(" was needed");
    return std::nullopt;
}

}  // namespace reelgrid::kernels
