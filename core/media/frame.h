#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace reelgrid::media {

/// Frames per second (or any other ratio) as FFmpeg keeps them.
struct Rational {
    std::int64_t num = 0;
    std::int64_t den = 1;
    [[nodiscard]] double value() const { return static_cast<double>(num) / static_cast<double>(den); }
    bool operator==(const Rational&) const = default;
};

/// A whole clip in memory as 8-bit RGB, frame after frame, rows from the top, no padding: [F, height, width,
/// 3].
struct RgbVideo {
    int width = 0;
    int height = 0;
    Rational fps{16, 1};
    std::vector<std::uint8_t> pixels;

    [[nodiscard]] std::size_t frameBytes() const {
        return std::size_t(3) * std::size_t(width) * std::size_t(height);
    }
    [[nodiscard]] int frameCount() const { return frameBytes() == 0 ? 0 : int(pixels.size() / frameBytes()); }
    [[nodiscard]] std::span<const std::uint8_t> frame(int index) const {
        return std::span(pixels).subspan(frameBytes() * std::size_t(index), frameBytes());
    }
};

enum class ChromaLayout { Yuv420, Yuv422, Yuv444 };
/// Rgb: there is none; y, u and v hold green, blue and red, as in FFmpeg's planar RGB.
enum class ColorMatrix { Bt601, Bt709, Rgb };
enum class ColorRange { Limited, Full };

/// How a picture's samples become RGB. Unspecified streams are resolved when decoded (BT.601 below 720 lines,
/// else BT.709).
struct ColorInfo {
    ColorMatrix matrix = ColorMatrix::Bt709;
    ColorRange range = ColorRange::Limited;
    bool operator==(const ColorInfo&) const = default;
};

/// One plane of samples: `bytesPerSample` 1 (8 bit) or 2 (9 to 16 bit, little endian, low bits).
struct Plane {
    int width = 0;
    int height = 0;
    int stride = 0;  ///< bytes from one row to the next
    std::vector<std::uint8_t> bytes;
};

/// One decoded picture as planes, ready to be uploaded as textures. Immutable once shared.
struct YuvFrame {
    int width = 0;
    int height = 0;
    ChromaLayout layout = ChromaLayout::Yuv420;
    int bitDepth = 8;
    ColorInfo color;
    int index = 0;       ///< frame number in presentation order, from 0
    double seconds = 0;  ///< presentation time, the clip's first frame being 0
    Plane y, u, v;
};
using FramePtr = std::shared_ptr<const YuvFrame>;

}  // namespace reelgrid::media
