#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

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

/// Of an option of a backend of our own; nothing where any number will do.
std::optional<OptionBounds> boundsOfOption(std::string_view backend, std::string_view key);

/// As whyNotOption() (backend_option.h) says it, of a value that is of the option's form:
/// ".cdfthreshd: 0 to 1 was needed".
std::optional<std::string> whyNotWithinBounds(std::string_view backend, std::string_view key,
                                              std::string_view value);

}  // namespace reelgrid::kernels
