#include "core/media/png/png_palette.h"

#include "core/media/png/png_chunks.h"
#include "core/media/png/png_header.h"

namespace reelgrid::media {

PngPalette pngPaletteOf(std::string_view png) {
    constexpr std::size_t kColorBytes = 3, kMostColors = 256;
    PngPalette palette;
    const auto header = pngHeaderOf(png);
    if (!header || !header->isIndexed()) return palette;
    std::size_t count = 0, bytes = 0;
    bool isBehindData = false;
    forEachPngChunk(png, [&](const PngChunk& chunk) {
        if (chunk.type == "IDAT" && count == 0) isBehindData = true;
        if (chunk.type != "PLTE") return true;
        if (count++ == 0) bytes = chunk.data.size();
        return true;
    });
    palette.colors = bytes / kColorBytes;
    if (count == 0)
        palette.fault = "is missing";
    else if (isBehindData)
        palette.fault = "is behind the picture's data (IDAT)";
    else if (count > 1)
        palette.fault = "is there " + std::to_string(count) + " times, one was needed";
    else if (bytes % kColorBytes != 0 || palette.colors == 0 || palette.colors > kMostColors)
        palette.fault = "has " + std::to_string(bytes) + " bytes, 3 for each of 1 to 256 colours were needed";
    return palette;
}

}  // namespace reelgrid::media
