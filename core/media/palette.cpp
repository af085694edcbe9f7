#include "core/media/palette.h"

#include <cstdint>
#include <cstring>

#include "core/media/rgb_frame.h"

namespace reelgrid::media {

Result<FrameHandle> withoutPalette(const AVFrame& indexed) {
    auto rgb = rgbFrame(indexed.width, indexed.height);
    if (!rgb) return rgb.error();
    for (int y = 0; y < indexed.height; ++y) {
        const std::uint8_t* from = indexed.data[0] + std::ptrdiff_t(y) * indexed.linesize[0];
        std::uint8_t* to = (*rgb)->data[0] + std::ptrdiff_t(y) * (*rgb)->linesize[0];
        for (int x = 0; x < indexed.width; ++x) {
            std::uint32_t color = 0;  // 0xAARRGGBB
            std::memcpy(&color, indexed.data[1] + sizeof color * from[x], sizeof color);
            for (const int shift : {16, 8, 0}) *to++ = std::uint8_t(color >> shift);
        }
    }
    return rgb;
}

}  // namespace reelgrid::media
