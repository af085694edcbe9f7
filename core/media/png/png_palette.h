#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace reelgrid::media {

/// The palette (PLTE; ISO/IEC 15948, 11.2.3) of a PNG file whose pixels are numbers of its colours.
struct PngPalette {
    std::size_t colors = 0;            ///< of the one before the picture's data
    std::optional<std::string> fault;  ///< as the end of a message; nothing of a sound one
};

/// FFmpeg gives a black picture where the palette's size can't be, and takes the last of several. Of other
/// pictures a palette is advice, which isn't looked at: they have no fault.
PngPalette pngPaletteOf(std::string_view png);

}  // namespace reelgrid::media
