#pragma once

#include <algorithm>
#include <string>

namespace reelgrid {

/// What somebody else's text may say within a refusal, which is one line. Other control characters are
/// escaped where it is printed.
inline std::string inOneLine(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace reelgrid
