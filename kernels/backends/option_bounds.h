#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/backends/backend_option.h"

namespace reelgrid::kernels {

/// What each number of an option may be.
struct OptionBounds {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool includesLeast = true;

    [[nodiscard]] bool contains(double number) const;
    /// "0 to 1", "1 or more", "more than 0".
    [[nodiscard]] std::string text() const;
};

/// Of an option of a backend of our own, its layers left aside; nothing where any number will do.
std::optional<OptionBounds> boundsOfOption(std::string_view backend, std::string_view key);

/// Whether an option may have a value for each head, separated by commas, in the place of one for all, and
/// such values for some layers: its key is followed by @LAYER or @FIRST-LAST then, counted from 0.
bool isOfEachHead(std::string_view backend, std::string_view key);

/// "cdfthreshd" of "cdfthreshd@4-7".
std::string_view keyWithoutLayers(std::string_view key);

/// Layers that a value is for, both ends included, from 0.
struct OptionLayers {
    int first = 0, last = 0;
    [[nodiscard]] bool contains(int layer) const { return first <= layer && layer <= last; }
};

/// First and last of "cdfthreshd@4-7"; nothing for a key of all layers, or for what is no range.
std::optional<OptionLayers> layersOfKey(std::string_view key);

/// The value of an option in a layer (−1: nobody knows which): the last that is set for some layers which it
/// is one of, else the one for all. Empty where there is none of that name.
std::string_view valueInLayer(std::span<const OptionValue> options, std::string_view key, int layer);

/// As whyNotOption() (backend_option.h) says it of a backend that has `options`, with what it knows of
/// backends of our own: ".cdfthreshd: 0 to 1 was needed".
std::optional<std::string> whyNotSetting(std::string_view backend, std::span<const BackendOption> options,
                                         std::string_view key, std::string_view value);

}  // namespace reelgrid::kernels
