#pragma once

#include <QImage>
#include <array>

#include "core/media/frame.h"

namespace reelgrid::widgets {

/// RGB in [0, 1] = matrix · (sample / maxSample − offset), samples being Y, U, V as stored, or G, B, R. Both
/// surfaces use these numbers. BT.601 and BT.709: ITU-R BT.601-7 §2.5, BT.709-6 §3; ranges scaled to any bit
/// depth.
struct YuvToRgb {
    std::array<float, 9> matrix{};  ///< row-major
    std::array<float, 3> offset{};
    float maxSample = 255;
};
YuvToRgb yuvToRgb(const media::ColorInfo& color, int bitDepth);

/// Where a luma pixel's chroma is: chroma = luma·scale + shift, in chroma samples counted from the plane's
/// edge. MPEG-2's left siting, H.264's default: horizontally on every other luma sample, vertically between.
struct ChromaSiting {
    float scaleX = 1;
    float scaleY = 1;
    float shiftX = 0;
};
ChromaSiting chromaSiting(media::ChromaLayout layout);

/// One pixel of toImage()'s.
QRgb colorAt(const media::YuvFrame& frame, int x, int y);

/// The whole frame as 8-bit RGB, chroma interpolated; on the CPU.
QImage toImage(const media::YuvFrame& frame);

}  // namespace reelgrid::widgets
