#pragma once

#include <unistd.h>

#include <string_view>

namespace reelgrid {

/// Text to stderr, as a signal handler may write it.
inline void writeFromHandler(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
        if (count <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
}

}  // namespace reelgrid
