#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace reelgrid::catalog {

/// "fp32, bf16 or fp16"
inline std::string oneOf(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

inline bool isAmong(const auto& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace reelgrid::catalog
