#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/widgets/gui_wait.h"
#include "widgets/video_grid/video_grid.h"
#include "widgets/video_grid/yuv_conversion.h"

namespace reelgrid::widgets {
namespace {

using namespace media;

/// The same arithmetic as the standards have it, in double, pixel by pixel, independent of the surfaces'.
struct Reference {
    const YuvFrame& frame;

    [[nodiscard]] double sample(const Plane& plane, int x, int y) const {
        x = std::clamp(x, 0, plane.width - 1);
        y = std::clamp(y, 0, plane.height - 1);
        const auto at = std::size_t(y) * std::size_t(plane.stride);
        if (frame.bitDepth == 8) return plane.bytes[at + std::size_t(x)];
        const auto wide = at + 2 * std::size_t(x);
        return plane.bytes[wide] + 256.0 * plane.bytes[wide + 1];
    }
    /// Chroma over luma pixel (x, y): left-sited horizontally, centred vertically, linear between samples.
    [[nodiscard]] double chroma(const Plane& plane, int x, int y) const {
        const double cx = frame.layout == ChromaLayout::Yuv444 ? x : x / 2.0;
        const double cy = frame.layout == ChromaLayout::Yuv420 ? (y - 0.5) / 2.0 : y;
        const int x0 = int(std::floor(cx));
        const int y0 = int(std::floor(cy));
        const double fx = cx - x0;
        const double fy = cy - y0;
        return (sample(plane, x0, y0) * (1 - fx) + sample(plane, x0 + 1, y0) * fx) * (1 - fy) +
               (sample(plane, x0, y0 + 1) * (1 - fx) + sample(plane, x0 + 1, y0 + 1) * fx) * fy;
    }
    [[nodiscard]] std::array<double, 3> rgb(int x, int y) const {
        const double unit = std::pow(2.0, frame.bitDepth - 8);
        const double full = std::pow(2.0, frame.bitDepth) - 1;
        const bool limited = frame.color.range == ColorRange::Limited;
        const double luma =
            limited ? (sample(frame.y, x, y) - 16 * unit) / (219 * unit) : sample(frame.y, x, y) / full;
        const double chromaSpan = limited ? 224 * unit : full;
        const double cb = (chroma(frame.u, x, y) - 128 * unit) / chromaSpan;
        const double cr = (chroma(frame.v, x, y) - 128 * unit) / chromaSpan;
        if (frame.color.matrix == ColorMatrix::Bt709)
            return {luma + 1.5748 * cr, luma - 0.18732427 * cb - 0.46812427 * cr, luma + 1.8556 * cb};
        return {luma + 1.402 * cr, luma - 0.34413629 * cb - 0.71413629 * cr, luma + 1.772 * cb};
    }
};

Plane randomPlane(int width, int height, int bitDepth, std::mt19937& random) {
    const int bytes = bitDepth > 8 ? 2 : 1;
    Plane plane{width, height, width * bytes + 6, {}};  // rows are padded
    plane.bytes.resize(std::size_t(plane.stride) * std::size_t(height));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const unsigned value = random() % (1U << bitDepth);
            const auto at = std::size_t(y * plane.stride + x * bytes);
            plane.bytes[at] = std::uint8_t(value);
            if (bytes == 2) plane.bytes[at + 1] = std::uint8_t(value >> 8);
        }
    return plane;
}

FramePtr randomFrame(ChromaLayout layout, int bitDepth, ColorInfo color) {
    std::mt19937 random(7);
    auto frame = std::make_shared<YuvFrame>();
    frame->width = 254;
    frame->height = 166;
    frame->layout = layout;
    frame->bitDepth = bitDepth;
    frame->color = color;
    const int chromaWidth = layout == ChromaLayout::Yuv444 ? 254 : 127;
    const int chromaHeight = layout == ChromaLayout::Yuv420 ? 83 : 166;
    frame->y = randomPlane(254, 166, bitDepth, random);
    frame->u = randomPlane(chromaWidth, chromaHeight, bitDepth, random);
    frame->v = randomPlane(chromaWidth, chromaHeight, bitDepth, random);
    return frame;
}

void expectReferenceColours(SurfaceKind kind) {
    VideoGrid grid(kind);
    grid.resize(254, 166);  // the picture at its own size
    grid.setTiles({GridTile{}});
    grid.show();
    for (auto layout : {ChromaLayout::Yuv420, ChromaLayout::Yuv422, ChromaLayout::Yuv444})
        for (int bitDepth : {8, 10, 12, 16})
            for (auto matrix : {ColorMatrix::Bt601, ColorMatrix::Bt709})
                for (auto range : {ColorRange::Limited, ColorRange::Full}) {
                    const FramePtr frame = randomFrame(layout, bitDepth, {matrix, range});
                    grid.present({TilePicture{frame, {}, {}}});
                    const QImage shown = grid.snapshot();
                    ASSERT_EQ(shown.size(), QSize(254, 166));
                    double worst = 0;
                    for (int y = 0; y < 166; ++y)
                        for (int x = 0; x < 254; ++x) {
                            const auto due = Reference{*frame}.rgb(x, y);
                            const QRgb pixel = shown.pixel(x, y);
                            const int got[] = {qRed(pixel), qGreen(pixel), qBlue(pixel)};
                            for (std::size_t c = 0; c < 3; ++c)
                                worst =
                                    std::max(worst, std::abs(std::clamp(due[c], 0.0, 1.0) * 255 - got[c]));
                        }
                    EXPECT_LE(worst, 1.0) << "layout " << int(layout) << ", " << bitDepth << " bit, BT."
                                          << (matrix == ColorMatrix::Bt709 ? 709 : 601)
                                          << (range == ColorRange::Full ? " full" : " limited");
                }
}

void expectRgbAsItIs(SurfaceKind kind) {
    VideoGrid grid(kind);
    grid.resize(254, 166);
    grid.setTiles({GridTile{}});
    grid.show();
    const FramePtr frame = randomFrame(ChromaLayout::Yuv444, 8, {ColorMatrix::Rgb, ColorRange::Full});
    grid.present({TilePicture{frame, {}, {}}});
    const QImage shown = grid.snapshot();
    ASSERT_EQ(shown.size(), QSize(254, 166));
    int wrong = 0;
    for (int y = 0; y < 166; ++y)
        for (int x = 0; x < 254; ++x) {
            const auto at = std::size_t(y * frame->y.stride + x);
            const QRgb due = qRgb(frame->v.bytes[at], frame->y.bytes[at], frame->u.bytes[at]);
            wrong += (shown.pixel(x, y) & 0xffffffU) != (due & 0xffffffU);
            ASSERT_EQ(colorAt(*frame, x, y) & 0xffffffU, due & 0xffffffU);
        }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(toImage(*frame).pixel(100, 70), colorAt(*frame, 100, 70));
}

TEST(GridColours, RasterShowsRgbAsItIs) {
    expectRgbAsItIs(SurfaceKind::Raster);
}

TEST(GridColours, OpenGlShowsRgbAsItIs) {
    if (availableSurface() != SurfaceKind::OpenGl) GTEST_SKIP() << "this platform has no OpenGL 3.3";
    expectRgbAsItIs(SurfaceKind::OpenGl);
}

TEST(GridColours, RasterIsWithinOneCodeOfTheStandards) {
    expectReferenceColours(SurfaceKind::Raster);
}

TEST(GridColours, OpenGlIsWithinOneCodeOfTheStandards) {
    if (availableSurface() != SurfaceKind::OpenGl) GTEST_SKIP() << "this platform has no OpenGL 3.3";
    expectReferenceColours(SurfaceKind::OpenGl);
}

}  // namespace
}  // namespace reelgrid::widgets
