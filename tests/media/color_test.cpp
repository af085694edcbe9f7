#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/media/clip.h"
#include "core/media/rgb.h"
#include "tests/media/barcode.h"

namespace reelgrid::media {
namespace {

using test::ScratchFolder;

struct Coding {
    const char* name;
    ColorMatrix matrix;
    ColorRange range;
    const char* tags;
    const char* scaleTags;  // what ffmpeg's scale filter must be told
};

void PrintTo(const Coding& coding, std::ostream* out) {
    *out << coding.name;
}

/// The definition (ITU-R BT.601 and BT.709), in double.
std::array<double, 3> exactRgb(int y, int u, int v, const ColorInfo& color) {
    const double kr = color.matrix == ColorMatrix::Bt709 ? 0.2126 : 0.299;
    const double kb = color.matrix == ColorMatrix::Bt709 ? 0.0722 : 0.114;
    const bool full = color.range == ColorRange::Full;
    const double luma = full ? y / 255.0 : (y - 16) / 219.0;
    const double cb = (u - 128) / (full ? 255.0 : 224.0);
    const double cr = (v - 128) / (full ? 255.0 : 224.0);
    const double r = luma + 2 * (1 - kr) * cr;
    const double b = luma + 2 * (1 - kb) * cb;
    const double g = (luma - kr * r - kb * b) / (1 - kr - kb);
    return {r * 255, g * 255, b * 255};
}

class ClipOfCoding : public testing::TestWithParam<Coding> {
  protected:
    /// A lossless 4:4:4 clip of one frame with every 5th value of Y, U and V.
    std::filesystem::path makeClip() {
        const auto path = m_folder / "c.mkv";
        const std::string command = "ffmpeg -v error -y -f rawvideo -pix_fmt yuv444p -s 408x340 -r 8 -i - " +
                                    std::string(GetParam().tags) + " -c:v libx264 -qp 0 '" + path.string() +
                                    "'";
        std::FILE* pipe = popen(command.c_str(), "w");
        for (int plane = 0; plane < 3; ++plane)
            for (int i = 0; i < 408 * 340; ++i) {
                const std::array<int, 3> yuv{i % 51, i / 51 % 51, i / 2601 % 51};
                std::fputc(yuv[std::size_t(plane)] * 5, pipe);
            }
        EXPECT_EQ(pclose(pipe), 0);
        return path;
    }
    ScratchFolder m_folder;
};

TEST_P(ClipOfCoding, TagsAreKeptAndRgbIsWithinOneCodeOfTheDefinition) {
    const auto path = makeClip();
    const FramePtr frame = Clip::open(path).value()->frame(0).value();
    const ColorInfo expected{GetParam().matrix, GetParam().range};
    EXPECT_EQ(frame->color, expected);
    const RgbVideo video = readRgb(path).value();
    ASSERT_EQ(video.frameCount(), 1);
    int compared = 0;
    for (std::size_t i = 0; i < 408U * 340U; ++i) {
        const auto rgb = exactRgb(frame->y.bytes[i], frame->u.bytes[i], frame->v.bytes[i], expected);
        // swscale's sums wrap round at twice full scale: only for triples far outside of RGB, which no
        // picture has.
        if (std::ranges::any_of(rgb, [](double value) { return std::abs(value) > 500; })) continue;
        ++compared;
        for (std::size_t c = 0; c < 3; ++c)
            ASSERT_NEAR(video.pixels[3 * i + c], std::lround(std::clamp(rgb[c], 0.0, 255.0)), 1)
                << "pixel " << i << " channel " << c;
    }
    EXPECT_GT(compared, 130'000);
}

TEST_P(ClipOfCoding, RgbIsWithinOneCodeOfFfmpegs) {
    const auto path = makeClip();
    const RgbVideo video = readRgb(path).value();
    const auto theirs =
        test::outputOf("ffmpeg -v error -i '" + path.string() + "' -vf scale=" + GetParam().scaleTags +
                       ":flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp -f rawvideo "
                       "-pix_fmt rgb24 -");
    ASSERT_EQ(video.pixels.size(), theirs.size());
    for (std::size_t i = 0; i < theirs.size(); ++i) ASSERT_NEAR(video.pixels[i], theirs[i], 1) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Codings, ClipOfCoding,
    testing::Values(Coding{"Bt601Limited", ColorMatrix::Bt601, ColorRange::Limited,
                           "-colorspace smpte170m -color_range tv", "in_color_matrix=bt601:in_range=tv"},
                    Coding{"Bt709Limited", ColorMatrix::Bt709, ColorRange::Limited,
                           "-colorspace bt709 -color_range tv", "in_color_matrix=bt709:in_range=tv"},
                    Coding{"Bt601Full", ColorMatrix::Bt601, ColorRange::Full,
                           "-colorspace bt470bg -color_range pc", "in_color_matrix=bt601:in_range=pc"},
                    Coding{"Bt709Full", ColorMatrix::Bt709, ColorRange::Full,
                           "-colorspace bt709 -color_range pc", "in_color_matrix=bt709:in_range=pc"},
                    Coding{"UntaggedSmall", ColorMatrix::Bt601, ColorRange::Limited, "",
                           "in_color_matrix=bt601:in_range=tv"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Color, UntaggedPicturesOf720LinesAreBt709) {
    const ScratchFolder folder;
    ASSERT_TRUE(
        test::encodeBarcodes(folder / "a.mp4", 1, 1280, 720, "8", "-preset ultrafast -pix_fmt yuv420p"));
    EXPECT_EQ(Clip::open(folder / "a.mp4").value()->frame(0).value()->color.matrix, ColorMatrix::Bt709);
}

TEST(Color, RgbPicturesComeBackAsTheyWere) {
    const ScratchFolder folder;
    const std::string name = (folder / "a.avi").string();
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -f lavfi -i testsrc2=s=120x80:r=8:d=0.5 -c:v rawvideo -pix_fmt bgr24 '" +
                   name + "'"));
    const auto theirs = test::outputOf("ffmpeg -v error -i '" + name + "' -f rawvideo -pix_fmt rgb24 -");
    const RgbVideo video = readRgb(folder / "a.avi").value();
    ASSERT_EQ(video.pixels.size(), theirs.size());
    for (std::size_t i = 0; i < theirs.size(); ++i) ASSERT_NEAR(video.pixels[i], theirs[i], 1) << i;
}

/// Colours of neighbours must not be mixed: PNG in Matroska and QuickTime's RLE are decoded with palettes.
TEST(Color, PicturesWithPalettesComeBackAsTheyWere) {
    const ScratchFolder folder;
    ASSERT_TRUE(test::runs(
        "ffmpeg -v error -f lavfi -i testsrc2=s=120x80:r=8:d=0.125,palettegen -frames:v 1 '" +
        (folder / "p.png").string() + "' && ffmpeg -v error -f lavfi -i testsrc2=s=120x80:r=8:d=0.5 -i '" +
        (folder / "p.png").string() + "' -lavfi paletteuse=dither=bayer,format=pal8 -c:v png '" +
        (folder / "a.mkv").string() + "'"));
    const std::string name = (folder / "a.mkv").string();
    const auto theirs =
        test::outputOf("ffmpeg -v error -i '" + name + "' -vf format=bgra,format=rgb24 -f rawvideo -");
    const RgbVideo video = readRgb(name).value();
    ASSERT_EQ(video.pixels.size(), theirs.size());
    EXPECT_TRUE(video.pixels == theirs);
    EXPECT_EQ(Clip::open(name).value()->frame(0).value()->color.matrix, ColorMatrix::Rgb);
}

/// AVI and QuickTime have them outside of their packets.
TEST(Color, APaletteIsThatOfTheFrameWhereverReadingBegins) {
    const ScratchFolder folder;
    for (const char* name : {"a.avi", "a.mov", "a.nut"}) {
        const auto path = folder / name;
        ASSERT_TRUE(test::runs(
            "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=10:d=0.5 -c:v rawvideo -pix_fmt pal8 '" +
            path.string() + "'"));
        for (const int first : {0, 3}) {
            auto clip = Clip::open(path);
            ASSERT_TRUE(clip) << clip.error().message;
            const FramePtr frame = clip.value()->frame(first).value();
            const auto [least, most] = std::ranges::minmax(frame->y.bytes);
            EXPECT_GT(most - least, 100) << name << " " << first;
        }
    }
}

TEST(Color, SixteenBitSamplesKeepTheirPrecision) {
    const ScratchFolder folder;
    const auto path = folder / "a.mkv";
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -f lavfi -i color=gray:s=64x48:r=8:d=0.2 -vf "
                   "format=yuv444p12le,lutyuv=y=1234:u=2222:v=3333 -c:v ffv1 '" +
                   path.string() + "'"));
    const FramePtr frame = Clip::open(path).value()->frame(0).value();
    EXPECT_EQ(frame->bitDepth, 12);
    EXPECT_EQ(frame->layout, ChromaLayout::Yuv444);
    const auto sample = [](const Plane& plane) { return plane.bytes[0] | plane.bytes[1] << 8; };
    EXPECT_EQ(sample(frame->y), 1234);
    EXPECT_EQ(sample(frame->u), 2222);
    EXPECT_EQ(sample(frame->v), 3333);
}

}  // namespace
}  // namespace reelgrid::media
