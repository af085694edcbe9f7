#include "core/media/wide_samples.h"

#include <cstdint>

#include "core/media/rgb_frame.h"

namespace reelgrid::media {
namespace {

/// How many samples a pixel of 16 bits each has, and how far green and blue are behind red; none: not of
/// ours.
struct WideLayout {
    int samples = 0, next = 0;
};

WideLayout layoutOf(int format) {
    switch (format) {
        case AV_PIX_FMT_RGB48BE:
            return {3, 1};
        case AV_PIX_FMT_RGBA64BE:
            return {4, 1};
        case AV_PIX_FMT_GRAY16BE:
            return {1, 0};
        case AV_PIX_FMT_YA16BE:
            return {2, 0};
        default:
            return {};
    }
}

std::uint8_t nearest(const std::uint8_t* bigEndian) {
    const unsigned value = unsigned(bigEndian[0]) << 8 | bigEndian[1];
    return std::uint8_t((value * 255 + 32767) / 65535);
}

}  // namespace

Result<FrameHandle> inEightBits(FrameHandle frame) {
    const WideLayout layout = layoutOf(frame->format);
    if (layout.samples == 0) return frame;
    auto rgb = rgbFrame(frame->width, frame->height);
    if (!rgb) return rgb.error();
    for (int y = 0; y < frame->height; ++y) {
        const std::uint8_t* pixel = frame->data[0] + std::ptrdiff_t(y) * frame->linesize[0];
        std::uint8_t* out = (*rgb)->data[0] + std::ptrdiff_t(y) * (*rgb)->linesize[0];
        for (int x = 0; x < frame->width; ++x, pixel += 2 * layout.samples)
            for (int channel = 0; channel < 3; ++channel)
                *out++ = nearest(pixel + std::ptrdiff_t(2) * channel * layout.next);
    }
    return rgb;
}

}  // namespace reelgrid::media
