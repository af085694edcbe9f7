#include <gtest/gtest.h>

#include <fstream>

#include "core/base/pending_file.h"
#include "core/media/clip.h"
#include "core/media/rgb.h"
#include "core/media/stitch.h"
#include "tests/media/barcode.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;
using test::encodeBarcodes;
using test::readBarcode;
using test::ScratchFolder;

/// A track's matrix: a sample at (x, y) is shown at (a·x + c·y, b·x + d·y).
struct Turn {
    const char* name;
    int a, b, c, d;
};

void PrintTo(const Turn& turn, std::ostream* out) {
    *out << turn.name;
}

void setMatrix(const fs::path& mp4, const Turn& turn) {
    std::string bytes = readFile(mp4).value();
    const std::size_t header = bytes.find("tkhd");
    ASSERT_NE(header, std::string::npos);
    const int values[] = {turn.a, turn.b, 0, turn.c, turn.d, 0, 0, 0, 0x4000};
    std::string matrix;
    for (const int value : values)
        for (const int shift : {8, 0, -8, -16}) matrix += char(shift >= 0 ? value >> shift : 0);
    std::ofstream(mp4, std::ios::binary) << bytes.replace(header + 44, matrix.size(), matrix);
}

class DisplayOf : public testing::TestWithParam<Turn> {
  protected:
    ScratchFolder m_folder;
};

/// yuv420p, frame after frame, as the ffmpeg program shows it.
std::vector<std::uint8_t> shownByFfmpeg(const fs::path& path) {
    return test::outputOf("ffmpeg -v error -i '" + path.string() + "' -f rawvideo -pix_fmt yuv420p -");
}

TEST_P(DisplayOf, TurnsPicturesAsFfmpegDoes) {
    const fs::path path = m_folder / "a.mp4";
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -f lavfi -i testsrc2=s=96x64:r=8:d=0.5 -c:v libx264 -pix_fmt yuv420p '" +
                   path.string() + "'"));
    setMatrix(path, GetParam());
    const bool onItsSide = GetParam().a == 0;
    auto clip = Clip::open(path).value();
    ASSERT_EQ(clip->info().width, onItsSide ? 64 : 96);
    ASSERT_EQ(clip->info().height, onItsSide ? 96 : 64);
    std::vector<std::uint8_t> shown;
    for (int i = 0; i < clip->info().frameCount(); ++i) {
        const FramePtr frame = clip->frame(i).value();
        for (const Plane* plane : {&frame->y, &frame->u, &frame->v})
            shown.insert(shown.end(), plane->bytes.begin(), plane->bytes.end());
    }
    EXPECT_TRUE(shown == shownByFfmpeg(path));
}

INSTANTIATE_TEST_SUITE_P(Turns, DisplayOf,
                         testing::Values(Turn{"AsItIs", 1, 0, 0, 1}, Turn{"Right", 0, 1, -1, 0},
                                         Turn{"Half", -1, 0, 0, -1}, Turn{"Left", 0, -1, 1, 0},
                                         Turn{"MirroredAcross", -1, 0, 0, 1},
                                         Turn{"MirroredDown", 1, 0, 0, -1}, Turn{"Transposed", 0, 1, 1, 0},
                                         Turn{"AntiTransposed", 0, -1, -1, 0}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Display, FourTwoTwoAndTenBitsCanBeTurned) {
    const ScratchFolder folder;
    for (const std::string format : {"yuv422p", "yuv420p10le", "yuv422p10le", "yuv444p"}) {
        const fs::path path = folder / (format + ".mp4");
        ASSERT_TRUE(encodeBarcodes(path, 6, 96, 64, "8", "-c:v libx264 -pix_fmt " + format));
        setMatrix(path, {"Half", -1, 0, 0, -1});
        const FramePtr half = Clip::open(path).value()->frame(5).value();
        // Blocks and their order are turned by 180°: 12 bits from the far end.
        EXPECT_EQ(readBarcode(*half), (5 & 1) << 11 | (5 & 4) << 7) << format;
        setMatrix(path, {"Right", 0, 1, -1, 0});
        const FramePtr turned = Clip::open(path).value()->frame(5).value();
        EXPECT_EQ(turned->width, 64) << format;
        EXPECT_EQ(turned->height, 96) << format;
        EXPECT_EQ(turned->bitDepth, half->bitDepth) << format;
    }
}

TEST(Display, SamplesThatAreNotSquareAreStretched) {
    const ScratchFolder folder;
    struct Case {
        const char* file;
        const char* aspect;
        int width, height;
    };
    for (const Case& sized : {Case{"wide.mp4", "4/1", 384, 64}, Case{"tall.mp4", "1/2", 96, 128},
                              Case{"wide.mkv", "16/15", 102, 64}, Case{"square.mp4", "1/1", 96, 64}}) {
        const fs::path path = folder / sized.file;
        ASSERT_TRUE(
            encodeBarcodes(path, 9, 96, 64, "8",
                           std::string("-vf setsar=") + sized.aspect + " -c:v libx264 -pix_fmt yuv420p"));
        auto clip = Clip::open(path).value();
        EXPECT_EQ(clip->info().width, sized.width) << sized.file;
        EXPECT_EQ(clip->info().height, sized.height) << sized.file;
        for (int i = 0; i < 9; ++i) EXPECT_EQ(readBarcode(*clip->frame(i).value()), i) << sized.file;
    }
    EXPECT_EQ(Clip::open(folder / "wide.mp4").value()->info().sampleAspect, (Rational{4, 1}));
    EXPECT_EQ(Clip::open(folder / "square.mp4").value()->info().sampleAspect, (Rational{1, 1}));
    // Stretched first, turned then.
    setMatrix(folder / "wide.mp4", {"Right", 0, 1, -1, 0});
    auto turned = Clip::open(folder / "wide.mp4").value();
    EXPECT_EQ(turned->info().width, 64);
    EXPECT_EQ(turned->info().height, 384);
    const auto grid =
        stitch(std::vector<LabelledClip>{{folder / "wide.mp4", "w"}, {folder / "tall.mp4", "t"}},
               folder / "grid.mp4", {.fontSize = 0});
    ASSERT_TRUE(grid) << grid.error().message;
    EXPECT_EQ(grid->width, 192);
    EXPECT_EQ(grid->height, 384);
}

/// What measures gets the samples as they are coded; the ffmpeg program decodes them so, too.
TEST(Display, SamplesThatAreMeasuredAreNeverStretched) {
    const ScratchFolder folder;
    const fs::path square = folder / "square.mkv", wide = folder / "wide.mkv", turned = folder / "wide.mp4";
    ASSERT_TRUE(test::runs("ffmpeg -v error -f lavfi -i testsrc2=s=96x64:r=8:d=0.5,format=gbrp -c:v ffv1 '" +
                           square.string() + "' && ffmpeg -v error -i '" + square.string() +
                           "' -vf setsar=2/1 -c:v "
                           "ffv1 '" +
                           wide.string() + "'"));
    ASSERT_EQ(Clip::open(wide).value()->info().width, 192) << "tiles have its true shape";
    const RgbVideo own = readRgb(wide).value(), theirs = readRgb(square).value();
    EXPECT_EQ(own.width, 96);
    EXPECT_EQ(own.height, 64);
    EXPECT_TRUE(own.pixels == theirs.pixels);
    // Turned all the same.
    ASSERT_TRUE(encodeBarcodes(turned, 3, 96, 64, "8", "-vf setsar=4/1 -c:v libx264 -pix_fmt yuv420p"));
    setMatrix(turned, {"Right", 0, 1, -1, 0});
    EXPECT_EQ(readRgb(turned).value().width, 64);
    EXPECT_EQ(readRgb(turned).value().height, 96);
}

}  // namespace
}  // namespace reelgrid::media
