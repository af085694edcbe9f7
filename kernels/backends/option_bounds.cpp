#include "kernels/backends/option_bounds.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace reelgrid::kernels {
namespace {

struct Row {
    std::string_view backend, key;
    OptionBounds bounds;
    bool isOfEachHead = false;
};

constexpr std::array kRows{
    Row{"sparge", "simthreshd1", {.least = -1, .most = 1}, true},
    Row{"sparge", "cdfthreshd", {.least = 0, .most = 1}, true},
    Row{"sparge", "pvthreshd", {.least = 0, .includesLeast = false}, true},
    Row{"sta", "tile", {.least = 1}},
    Row{"sta", "window", {.least = 1}},
    Row{"radial", "decay", {.least = 0, .includesLeast = false}},
};

const Row* rowOf(std::string_view backend, std::string_view key) {
    const auto row = std::ranges::find_if(
        kRows, [&](const Row& each) { return each.backend == backend && each.key == keyWithoutLayers(key); });
    return row == kRows.end() ? nullptr : &*row;
}

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
    const Row* row = rowOf(backend, key);
    return row == nullptr ? std::nullopt : std::optional(row->bounds);
}

bool isOfEachHead(std::string_view backend, std::string_view key) {
    const Row* row = rowOf(backend, key);
    return row != nullptr && row->isOfEachHead;
}

std::string_view keyWithoutLayers(std::string_view key) {
    return key.substr(0, key.find('@'));
}

std::optional<OptionLayers> layersOfKey(std::string_view key) {
    const std::string_view whole = keyWithoutLayers(key);
    if (whole.size() == key.size()) return std::nullopt;
    const char *at = key.data() + whole.size() + 1, *end = key.data() + key.size();
    OptionLayers layers;
    const auto one = std::from_chars(at, end, layers.first);
    if (one.ec != std::errc() || layers.first < 0) return std::nullopt;
    if (one.ptr == end) return OptionLayers{layers.first, layers.first};
    const auto two = std::from_chars(one.ptr + 1, end, layers.last);
    const bool fits =
        *one.ptr == '-' && two.ec == std::errc() && two.ptr == end && layers.last >= layers.first;
    return fits ? std::optional(layers) : std::nullopt;
}

std::string_view valueInLayer(std::span<const OptionValue> options, std::string_view key, int layer) {
    std::string_view value = valueOf(options, key);
    for (const OptionValue& option : options) {
        if (keyWithoutLayers(option.key) != key) continue;
        const auto layers = layersOfKey(option.key);
        if (layers && layers->contains(layer)) value = option.value;
    }
    return value;
}

std::optional<std::string> whyNotSetting(std::string_view backend, std::span<const BackendOption> options,
                                         std::string_view key, std::string_view value) {
    if (keyWithoutLayers(key) != key) {
        const char* wrong = !isOfEachHead(backend, key)
                                ? ": an option that layers may differ in was needed before the @"
                            : !layersOfKey(key) ? ": a layer or FIRST-LAST, from 0, was needed behind the @"
                                                : nullptr;
        if (wrong != nullptr) return std::string(1, '.').append(key).append(wrong);
    }
    // A list is looked at value by value.
    for (std::size_t start = 0; start <= value.size();) {
        const std::size_t end =
            isOfEachHead(backend, key) ? std::min(value.find(',', start), value.size()) : value.size();
        if (auto why = whyNotOption(options, keyWithoutLayers(key), value.substr(start, end - start)))
            return why;
        start = end + 1;
    }
    const auto bounds = boundsOfOption(backend, key);
    if (!bounds) return std::nullopt;
    for (const double number : numbersOf(value))
        if (!bounds->contains(number))
            return std::string(1, '.').append(key).append(": ").append(bounds->text()).append(" was needed");
    return std::nullopt;
}

}  // namespace reelgrid::kernels
