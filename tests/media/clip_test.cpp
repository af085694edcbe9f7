#include "core/media/clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "core/base/pending_file.h"
#include "core/media/clip_options.h"
#include "tests/media/barcode.h"

namespace reelgrid::media {
namespace {

using test::barcodesByFfmpeg;
using test::encodeBarcodes;
using test::readBarcode;
using test::ScratchFolder;

/// Opens the clip and reads it in order, checking that frame i carries expected[i].
void expectFramesInOrder(Clip& clip, const std::vector<int>& expected) {
    ASSERT_EQ(clip.info().frameCount(), int(expected.size()));
    for (int i = 0; i < clip.info().frameCount(); ++i) {
        auto frame = clip.frame(i);
        ASSERT_TRUE(frame) << frame.error().message;
        ASSERT_EQ(readBarcode(**frame), expected[std::size_t(i)]) << "frame " << i;
        EXPECT_EQ((*frame)->index, i);
        EXPECT_EQ((*frame)->seconds, clip.info().frameSeconds[std::size_t(i)]);
    }
}

std::vector<int> counting(int count) {
    std::vector<int> numbers(std::size_t(count), 0);
    for (int i = 0; i < count; ++i) numbers[std::size_t(i)] = i;
    return numbers;
}

struct EncodedClip {
    const char* name;
    const char* fps;
    int count;
    const char* file;
    const char* options;
};

void PrintTo(const EncodedClip& encoding, std::ostream* out) {
    *out << encoding.name;
}

class ClipOfEncoding : public testing::TestWithParam<EncodedClip> {
  protected:
    ScratchFolder m_folder;
};

TEST_P(ClipOfEncoding, GivesEveryFrameExactlyInAnyOrder) {
    const EncodedClip& param = GetParam();
    const auto path = m_folder / param.file;
    ASSERT_TRUE(encodeBarcodes(path, param.count, 96, 64, param.fps, param.options));
    auto opened = openClip(path, {.threads = 2, .cacheBytes = 6 * 96 * 64 * 2});
    ASSERT_TRUE(opened) << opened.error().message;
    Clip& clip = **opened;
    EXPECT_EQ(clip.info().width, 96);
    EXPECT_EQ(clip.info().height, 64);
    expectFramesInOrder(clip, counting(param.count));

    std::mt19937 random(7);
    for (int i = 0; i < 150; ++i) {
        const int index = int(random() % unsigned(param.count));
        auto frame = clip.frame(index);
        ASSERT_TRUE(frame) << frame.error().message;
        ASSERT_EQ(readBarcode(**frame), index);
    }
    for (int i = param.count - 1; i >= 0; --i) {
        auto frame = clip.frame(i);
        ASSERT_TRUE(frame) << frame.error().message;
        ASSERT_EQ(readBarcode(**frame), i);
    }
}

TEST_P(ClipOfEncoding, TimesAreThoseOfTheRate) {
    const EncodedClip& param = GetParam();
    const auto path = m_folder / param.file;
    ASSERT_TRUE(encodeBarcodes(path, param.count, 96, 64, param.fps, param.options));
    auto opened = Clip::open(path);
    ASSERT_TRUE(opened) << opened.error().message;
    const ClipInfo& info = (*opened)->info();
    double rate = std::atof(param.fps);
    if (const char* slash = std::strchr(param.fps, '/')) rate /= std::atof(slash + 1);
    EXPECT_NEAR(info.fps.value(), rate, 1e-9);
    for (int i = 0; i < info.frameCount(); ++i) {
        EXPECT_NEAR(info.frameSeconds[std::size_t(i)], i / rate, 1e-9);
        EXPECT_EQ(info.frameAt(i / rate), i);
        EXPECT_EQ(info.frameAt((i + 0.99) / rate), i);
    }
    EXPECT_NEAR(info.durationSeconds, param.count / rate, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    Encodings, ClipOfEncoding,
    testing::Values(
        EncodedClip{"Mp4OneGop", "24", 121, "a.mp4",
                    "-c:v libx264 -preset veryfast -g 250 -bf 3 -pix_fmt yuv420p"},
        EncodedClip{"Mp4ManyGops", "16", 81, "a.mp4",
                    "-c:v libx264 -g 12 -bf 3 -b_strategy 0 -pix_fmt yuv420p"},
        EncodedClip{"Mp4OpenGop", "30", 90, "a.mp4",
                    "-c:v libx264 -g 15 -bf 3 -x264-params open-gop=1 -pix_fmt yuv420p"},
        EncodedClip{"Mp4NoBFrames8Fps", "8", 49, "a.mp4", "-c:v libx264 -g 10 -bf 0 -pix_fmt yuv420p"},
        EncodedClip{"Mp4TenBit", "24000/1001", 40, "a.mp4", "-c:v libx264 -g 20 -pix_fmt yuv420p10le"},
        EncodedClip{"Mp4HevcIntraRefresh", "25", 40, "a.mp4",
                    "-c:v libx265 -x265-params log-level=none:keyint=20 -pix_fmt yuv420p"},
        EncodedClip{"MkvLateStart", "30", 60, "a.mkv",
                    "-c:v libx264 -g 20 -pix_fmt yuv444p -output_ts_offset 5"},
        EncodedClip{"WebmVp9", "16", 50, "a.webm",
                    "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 25 -auto-alt-ref 1 -lag-in-frames 16"},
        EncodedClip{"MpegTs", "25", 50, "a.ts", "-c:v libx264 -g 12 -bf 2 -pix_fmt yuv420p"},
        EncodedClip{"AviWithBFrames", "25", 40, "a.avi", "-c:v mpeg4 -bf 2 -g 12 -q:v 2"},
        EncodedClip{"AviOfH263", "25", 40, "a.avi", "-c:v h263p -g 12 -q:v 2"},
        EncodedClip{"MxfOfH264", "25", 40, "a.mxf", "-c:v libx264 -bf 2 -g 12 -pix_fmt yuv420p"},
        EncodedClip{"RawH264", "25", 40, "a.h264", "-c:v libx264 -bf 2 -g 12 -pix_fmt yuv420p"},
        EncodedClip{"Interlaced", "25", 30, "a.mp4",
                    "-c:v libx264 -flags +ildct+ilme -g 10 -pix_fmt yuv420p"},
        EncodedClip{"Gif", "10", 30, "a.gif", ""}, EncodedClip{"Gif16Fps", "16", 33, "a.gif", ""},
        EncodedClip{"MotionJpeg", "24", 30, "a.mov", "-c:v mjpeg -q:v 3 -pix_fmt yuvj422p"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Clip, SurvivesThousandsOfRandomSeeks) {
    const ScratchFolder folder;
    const auto path = folder / "a.mp4";
    ASSERT_TRUE(encodeBarcodes(path, 121, 96, 64, "24", "-c:v libx264 -g 40 -bf 3 -pix_fmt yuv420p"));
    // Room for three frames only, so that most of these jumps must decode.
    auto clip = openClip(path, {.threads = 1, .cacheBytes = 3 * 96 * 64 * 3 / 2}).value();
    std::mt19937 random(11);
    int at = 0;
    for (int i = 0; i < 4000; ++i) {
        const int step = int(random() % 7) - 3;
        at = random() % 3 == 0 ? int(random() % 121) : std::clamp(at + step, 0, 120);
        auto frame = clip->frame(at);
        ASSERT_TRUE(frame) << frame.error().message;
        ASSERT_EQ(readBarcode(**frame), at) << "jump " << i;
    }
}

TEST(Clip, StepsThroughAVariableRateAtTheFramesOwnTimes) {
    const ScratchFolder folder;
    const auto path = folder / "vfr.mp4";
    // Frame n at n·40 ms + 20 ms for every odd n: steps of 60 and 20 ms. The durations are set because FFmpeg
    // from 6 on gives retimed frames none: the file's edit list would end where its last frame begins.
    ASSERT_TRUE(
        encodeBarcodes(path, 60, 96, 64, "25",
                       "-vf \"settb=1/1000,setpts=N*40+mod(N\\,2)*20\" -vsync passthrough -enc_time_base "
                       "1:1000 -video_track_timescale 1000 -c:v libx264 -g 15 -bf 2 -pix_fmt yuv420p "
                       "-bsf:v setts=pts=PTS:dts=DTS:duration=20"));
    auto clip = Clip::open(path).value();
    ASSERT_EQ(clip->info().frameCount(), 60);
    expectFramesInOrder(*clip, counting(60));
    for (int i = 0; i < 60; ++i) {
        const double expected = 0.040 * i + (i % 2) * 0.020;
        EXPECT_NEAR(clip->info().frameSeconds[std::size_t(i)], expected, 1e-9);
        EXPECT_EQ(clip->info().frameAt(expected), i);
        EXPECT_EQ(clip->info().frameAt(expected + 0.0199), i);
    }
}

TEST(Clip, HonoursAnEditListThatStartsInsideAGop) {
    const ScratchFolder folder;
    ASSERT_TRUE(
        encodeBarcodes(folder / "whole.mp4", 60, 96, 64, "25", "-c:v libx264 -g 60 -bf 2 -pix_fmt yuv420p"));
    ASSERT_TRUE(test::runs("ffmpeg -v error -y -ss 0.6 -i '" + (folder / "whole.mp4").string() +
                           "' -c copy '" + (folder / "cut.mp4").string() + "'"));
    const auto expected = barcodesByFfmpeg(folder / "cut.mp4", 96, 64);
    ASSERT_EQ(expected.size(), 45U);
    // What isn't shown must be whole, too: the shown frames are based on it.
    std::string damaged = readFile(folder / "cut.mp4").value();
    const std::size_t data = damaged.find("mdat") + 4;
    std::fill_n(damaged.begin() + std::ptrdiff_t(data) + 1000, 100, '\xFF');
    ASSERT_TRUE(writeFile(folder / "damaged.mp4", damaged));
    const auto hidden = Clip::open(folder / "damaged.mp4");
    EXPECT_FALSE(hidden && (*hidden)->frame(0) && (*hidden)->frame(44));

    ASSERT_EQ(expected.front(), 15);
    auto clip = Clip::open(folder / "cut.mp4").value();
    EXPECT_EQ(clip->info().frameSeconds.front(), 0);
    EXPECT_THAT(remarksOn(clip->info()),
                testing::ElementsAre("15 of the 60 frames that it lists are left out, by its edit list or by "
                                     "damage to its lists"));
    EXPECT_THAT(remarksOn(Clip::open(folder / "whole.mp4").value()->info()), testing::IsEmpty());
    expectFramesInOrder(*clip, expected);
    for (const int i : {44, 3, 20, 0, 19})
        EXPECT_EQ(readBarcode(*clip->frame(i).value()), expected[std::size_t(i)]);
}

TEST(Clip, OfSeveralVideoTracksIsTheFirstOrTheDefaultAndSaysSo) {
    const ScratchFolder folder;
    ASSERT_TRUE(encodeBarcodes(folder / "first.mp4", 10, 96, 64, "24", "-c:v mpeg4"));
    ASSERT_TRUE(encodeBarcodes(folder / "second.mp4", 30, 192, 128, "24", "-c:v mpeg4"));
    const auto remarksOf = [&](const std::string& name, const std::string& options) {
        EXPECT_TRUE(test::runs("ffmpeg -v error -y -i '" + (folder / "first.mp4").string() + "' -i '" +
                               (folder / "second.mp4").string() + "' -map 0:v -map 1:v -c copy " + options +
                               " '" + (folder / name).string() + "'"));
        const auto clip = Clip::open(folder / name).value();
        EXPECT_EQ(clip->info().width, name == "marked.mkv" ? 192 : 96);
        return remarksOn(clip->info());
    };
    for (const char* name : {"two.wmv", "two.mp4", "two.mkv"})
        EXPECT_THAT(remarksOf(name, ""), testing::ElementsAre("of its 2 video tracks number 1 is taken"))
            << name;
    EXPECT_THAT(remarksOf("marked.mkv", "-disposition:v:0 0 -disposition:v:1 default"),
                testing::ElementsAre("of its 2 video tracks number 2 is taken"));
}

TEST(Clip, StepsBackWithinTheCacheWithoutDecoding) {
    const ScratchFolder folder;
    const auto path = folder / "a.mp4";
    ASSERT_TRUE(encodeBarcodes(path, 60, 96, 64, "24", "-c:v libx264 -g 60 -bf 3 -pix_fmt yuv420p"));
    auto clip = Clip::open(path).value();
    const FramePtr last = clip->frame(59).value();
    // The file being gone, only frames that are still in memory can be had.
    std::filesystem::resize_file(path, 0);
    for (int i = 59; i >= 0; --i) EXPECT_EQ(readBarcode(*clip->frame(i).value()), i);
    EXPECT_EQ(clip->frame(59).value(), last);
}

TEST(Clip, RefusesFramesOutsideTheClip) {
    const ScratchFolder folder;
    ASSERT_TRUE(encodeBarcodes(folder / "a.mp4", 5, 96, 64, "24", "-pix_fmt yuv420p"));
    auto clip = Clip::open(folder / "a.mp4").value();
    for (const int index : {-1, 5, 1000}) {
        const auto frame = clip->frame(index);
        ASSERT_FALSE(frame);
        EXPECT_EQ(frame.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(frame.error().message, testing::HasSubstr("frame " + std::to_string(index)));
    }
    EXPECT_EQ(clip->info().frameAt(-3), 0);
    EXPECT_EQ(clip->info().frameAt(1e9), 4);
}

TEST(Clip, OpensNamesWithColonsQuotesAndPercents) {
    const ScratchFolder folder;
    ASSERT_TRUE(encodeBarcodes(folder / "a.mp4", 5, 96, 64, "24", "-pix_fmt yuv420p"));
    for (const std::string name : {"http:a.mp4", "it's 100%d.mp4", "concat:a|b.mp4", "-v.mp4"}) {
        std::filesystem::copy_file(folder / "a.mp4", folder / name);
        auto clip = Clip::open(folder / name);
        ASSERT_TRUE(clip) << clip.error().message;
        EXPECT_EQ((*clip)->info().frameCount(), 5);
    }
}

}  // namespace
}  // namespace reelgrid::media
