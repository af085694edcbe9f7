#pragma once

#include <cstdint>

namespace reelgrid::media {

/// The largest picture that is decoded or made: 8K video with room to spare. A file that claims more is
/// refused before anything of that size is allocated.
inline constexpr int kMaxSide = 16384;
inline constexpr std::int64_t kMaxPixels = std::int64_t{1} << 26;

constexpr bool isSaneSize(std::int64_t width, std::int64_t height) {
    return width > 0 && height > 0 && width <= kMaxSide && height <= kMaxSide && width * height <= kMaxPixels;
}

}  // namespace reelgrid::media
