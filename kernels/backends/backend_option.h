#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention/call_context.h"

namespace reelgrid::kernels {

/// A parameter that a backend has: --backend-option NAME.KEY=VALUE. Its default says what values are like: a
/// whole number, a number, as many of them separated by commas, or text.
struct BackendOption {
    std::string key;
    std::string title;  ///< one line
    std::string value;  ///< where nobody sets it

    bool operator==(const BackendOption&) const = default;
};

/// One of a built-in backend.
struct BuiltInOption {
    std::string_view key, title, value;
};

/// What is wrong with setting `key` of a backend that has `options`, said behind the backend's name: " has no
/// option x, one of … was needed", ".window: 3 whole numbers separated by commas were needed".
std::optional<std::string> whyNotOption(std::span<const BackendOption> options, std::string_view key,
                                        std::string_view value);

/// The numbers of a value ("3,3,3"); 0 for what isn't one.
std::vector<double> numbersOf(std::string_view value);

/// The value of an option of a call; empty where it has none of that name.
std::string_view valueOf(std::span<const OptionValue> options, std::string_view key);

}  // namespace reelgrid::kernels
