#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/pending_file.h"

namespace reelgrid::media {

/// Makes the first frames of a GIF last so many hundredths of a second. False where it has fewer frames.
inline bool setGifDelays(const std::filesystem::path& gif, const std::vector<int>& hundredths) {
    auto bytes = readFile(gif);
    if (!bytes) return false;
    std::size_t at = 0;
    for (const int delay : hundredths) {
        at = bytes->find("\x21\xf9\x04", at);  // a graphic control extension
        if (at == std::string::npos) return false;
        (*bytes)[at + 4] = char(delay);
        at += 8;
    }
    return writeFile(gif, *bytes).ok();
}

}  // namespace reelgrid::media
