#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reelgrid {

/// "sdpa, fav2": texts in a row, `between` each two of them.
inline std::string joined(const std::vector<std::string>& texts, std::string_view between = ", ") {
    std::string all;
    for (const std::string& text : texts) all.append(all.empty() ? "" : between).append(text);
    return all;
}

}  // namespace reelgrid
