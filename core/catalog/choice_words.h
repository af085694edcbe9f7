#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace reelgrid::catalog {

/// "fp32, bf16 or fp16"
inline std::string oneOf(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

inline bool isAmong(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace reelgrid::catalog
