#include "widgets/video_grid/yuv_conversion.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace reelgrid::widgets {

using media::ChromaLayout;
using media::Plane;

YuvToRgb yuvToRgb(const media::ColorInfo& color, int bitDepth) {
    if (color.matrix == media::ColorMatrix::Rgb)
        return {{0, 0, 1, 1, 0, 0, 0, 1, 0}, {0, 0, 0}, float((1 << bitDepth) - 1)};
    const bool bt709 = color.matrix == media::ColorMatrix::Bt709;
    const double kr = bt709 ? 0.2126 : 0.299;
    const double kb = bt709 ? 0.0722 : 0.114;
    const double kg = 1 - kr - kb;
    const double maxSample = double((1 << bitDepth) - 1);
    const double unit = double(1 << (bitDepth - 8));  // an 8-bit code at this depth
    const bool limited = color.range == media::ColorRange::Limited;
    const double lumaGain = limited ? maxSample / (219 * unit) : 1;
    const double chromaGain = limited ? maxSample / (224 * unit) : 1;

    YuvToRgb out;
    out.maxSample = float(maxSample);
    out.offset = {float(limited ? 16 * unit / maxSample : 0), float(128 * unit / maxSample),
                  float(128 * unit / maxSample)};
    const double redV = 2 * (1 - kr) * chromaGain;
    const double blueU = 2 * (1 - kb) * chromaGain;
    out.matrix = {float(lumaGain),
                  0,
                  float(redV),
                  float(lumaGain),
                  float(-blueU * kb / kg),
                  float(-redV * kr / kg),
                  float(lumaGain),
                  float(blueU),
                  0};
    return out;
}

ChromaSiting chromaSiting(ChromaLayout layout) {
    // A luma pixel's centre X + 0.5 lies over chroma coordinate X/2 + 0.5 = (X + 0.5)/2 + 0.25.
    if (layout == ChromaLayout::Yuv420) return {0.5F, 0.5F, 0.25F};
    if (layout == ChromaLayout::Yuv422) return {0.5F, 1, 0.25F};
    return {};
}

namespace {

float sampleAt(const Plane& plane, int x, int y, int bytesPerSample) {
    const std::uint8_t* row = plane.bytes.data() + std::size_t(plane.stride) * std::size_t(y);
    if (bytesPerSample == 1) return row[x];
    const std::uint8_t* sample = row + 2 * std::size_t(x);
    return float(sample[0] | sample[1] << 8);
}

/// Two neighbouring samples and how much of the second one counts.
struct Between {
    int first = 0;
    int second = 0;
    float part = 0;
};

Between chromaBetween(int luma, float scale, float shift, int size) {
    const float at = (float(luma) + 0.5F) * scale + shift - 0.5F;
    const int low = int(std::floor(at));
    return {std::clamp(low, 0, size - 1), std::clamp(low + 1, 0, size - 1), at - float(low)};
}

/// One row of a chroma plane at luma resolution.
void chromaRow(const Plane& plane, const ChromaSiting& siting, int lumaY, int bytesPerSample,
               std::vector<float>& blended, std::vector<float>& out) {
    const Between rows = chromaBetween(lumaY, siting.scaleY, 0, plane.height);
    for (int x = 0; x < plane.width; ++x)
        blended[std::size_t(x)] = sampleAt(plane, x, rows.first, bytesPerSample) * (1 - rows.part) +
                                  sampleAt(plane, x, rows.second, bytesPerSample) * rows.part;
    for (std::size_t x = 0; x < out.size(); ++x) {
        const Between columns = chromaBetween(int(x), siting.scaleX, siting.shiftX, plane.width);
        const float left = blended[std::size_t(columns.first)];
        out[x] = left + (blended[std::size_t(columns.second)] - left) * columns.part;
    }
}

float chromaSample(const Plane& plane, const Between& columns, const Between& rows, int bytesPerSample) {
    const auto blended = [&](int x) {
        return sampleAt(plane, x, rows.first, bytesPerSample) * (1 - rows.part) +
               sampleAt(plane, x, rows.second, bytesPerSample) * rows.part;
    };
    const float left = blended(columns.first);
    return left + (blended(columns.second) - left) * columns.part;
}

/// Of samples as stored.
QRgb toRgb(const YuvToRgb& k, float y, float u, float v) {
    const auto code = [](float value) { return int(std::clamp(value, 0.0F, 1.0F) * 255 + 0.5F); };
    const float luma = y / k.maxSample - k.offset[0];
    const float cb = u / k.maxSample - k.offset[1];
    const float cr = v / k.maxSample - k.offset[2];
    return qRgb(code(k.matrix[0] * luma + k.matrix[2] * cr),
                code(k.matrix[3] * luma + k.matrix[4] * cb + k.matrix[5] * cr),
                code(k.matrix[6] * luma + k.matrix[7] * cb));
}

}  // namespace

QRgb colorAt(const media::YuvFrame& frame, int x, int y) {
    const ChromaSiting siting = chromaSiting(frame.layout);
    const int bytesPerSample = frame.bitDepth > 8 ? 2 : 1;
    const Between columns = chromaBetween(x, siting.scaleX, siting.shiftX, frame.u.width);
    const Between rows = chromaBetween(y, siting.scaleY, 0, frame.u.height);
    return toRgb(yuvToRgb(frame.color, frame.bitDepth), sampleAt(frame.y, x, y, bytesPerSample),
                 chromaSample(frame.u, columns, rows, bytesPerSample),
                 chromaSample(frame.v, columns, rows, bytesPerSample));
}

QImage toImage(const media::YuvFrame& frame) {
    QImage image(frame.width, frame.height, QImage::Format_RGB32);
    if (image.isNull()) return image;
    const YuvToRgb k = yuvToRgb(frame.color, frame.bitDepth);
    const ChromaSiting siting = chromaSiting(frame.layout);
    const int bytesPerSample = frame.bitDepth > 8 ? 2 : 1;
    std::vector<float> blended(std::size_t(frame.u.width));
    std::vector<float> u(std::size_t(frame.width));
    std::vector<float> v(std::size_t(frame.width));
    for (int y = 0; y < frame.height; ++y) {
        chromaRow(frame.u, siting, y, bytesPerSample, blended, u);
        chromaRow(frame.v, siting, y, bytesPerSample, blended, v);
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < frame.width; ++x) {
            const auto i = std::size_t(x);
            line[x] = toRgb(k, sampleAt(frame.y, x, y, bytesPerSample), u[i], v[i]);
        }
    }
    return image;
}

}  // namespace reelgrid::widgets
