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

/// A key or name that a file's author chose: as it is, or where it holds control characters or is of a length
/// that no name has, as JSON writes it, shortened.
std::string nameInOneLine(const std::string& name);

}  // namespace reelgrid
