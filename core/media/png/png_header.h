#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelgrid::media {

/// What a PNG file's pixels are, of its header (IHDR; ISO/IEC 15948, 11.2.2).
struct PngHeader {
    static constexpr int kIndexed = 3;  ///< the colour type whose pixels are numbers of a palette's colours

    std::uint64_t width = 0, height = 0;
    int depth = 0;  ///< bits of a sample
    int colorType = 0;
    int compression = 0, filter = 0, interlace = 0;  ///< methods

    [[nodiscard]] bool isIndexed() const { return colorType == kIndexed; }
    /// Bits of a pixel; 0: there is no such colour type.
    [[nodiscard]] std::uint64_t pixelBits() const;
    /// Its first value that PNG doesn't have, with what was needed, as the end of a message; nothing of a
    /// sound one. FFmpeg undoes MNG's filter method 64 and takes any interlace method but 0 as Adam7. Sizes
    /// aren't looked at.
    [[nodiscard]] std::optional<std::string> fault() const;
};

/// The first of the file; nothing where it has no whole one.
std::optional<PngHeader> pngHeaderOf(std::string_view png);

}  // namespace reelgrid::media
