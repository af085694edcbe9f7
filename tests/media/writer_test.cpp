#include "core/media/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <optional>

#include "core/media/clip.h"
#include "core/media/rgb.h"
#include "tests/media/barcode.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;
using testing::HasSubstr;

/// Smooth colours that drift: what a codec keeps well.
RgbVideo gradient(int width, int height, int frames, Rational fps) {
    RgbVideo video{width, height, fps, {}};
    for (int f = 0; f < frames; ++f)
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                const double across = double(x) / width;
                const double down = double(y) / height;
                const double phase = 0.1 * f;
                video.pixels.push_back(std::uint8_t(128 + 100 * std::sin(6 * across + phase)));
                video.pixels.push_back(std::uint8_t(128 + 100 * std::sin(5 * down - phase)));
                video.pixels.push_back(std::uint8_t(128 + 100 * std::cos(4 * (across + down))));
            }
    return video;
}

double psnr(const RgbVideo& a, const RgbVideo& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i) {
        const double difference = double(a.pixels[i]) - double(b.pixels[i]);
        sum += difference * difference;
    }
    return 10 * std::log10(255.0 * 255.0 / (sum / double(a.pixels.size())));
}

/// What the ffmpeg program's own palette filters make of the frames, in dB. They choose colours in RGB up to
/// FFmpeg 5.1 (28.4 dB for the gradient) and in Oklab from 6.0 on (27.0 dB: less red and blue, more green).
double psnrOfFfmpegsGif(const RgbVideo& video) {
    const ScratchFolder folder;
    std::ofstream(folder / "source.rgb", std::ios::binary)
        .write(reinterpret_cast<const char*>(video.pixels.data()), std::streamsize(video.pixels.size()));
    const std::string gif = (folder / "own.gif").string();
    EXPECT_TRUE(test::runs("ffmpeg -v error -f rawvideo -pix_fmt rgb24 -r 16 -s " +
                           std::to_string(video.width) + "x" + std::to_string(video.height) + " -i '" +
                           (folder / "source.rgb").string() +
                           "' -lavfi 'split[a][b];[a]palettegen=stats_mode=full[p];"
                           "[b][p]paletteuse=dither=sierra2_4a:diff_mode=rectangle' '" +
                           gif + "'"));
    RgbVideo back = video;
    back.pixels =
        test::outputOf("ffmpeg -v error -i '" + gif + "' -vsync passthrough -f rawvideo -pix_fmt rgb24 -");
    EXPECT_EQ(back.pixels.size(), video.pixels.size());
    return back.pixels.size() == video.pixels.size() ? psnr(video, back) : 1000;
}

struct Target {
    const char* file;
    std::optional<double> minPsnr;  // nothing: what FFmpeg's own filters reach
    int width;
    int height;
};

class WriterOf : public testing::TestWithParam<Target> {
  protected:
    ScratchFolder m_folder;
};

TEST_P(WriterOf, KeepsFramesTimesAndColours) {
    const auto path = m_folder / GetParam().file;
    const RgbVideo video = gradient(GetParam().width, GetParam().height, 20, {16, 1});
    auto written = writeClip(path, video);
    ASSERT_TRUE(written) << written.error().message;
    auto clip = Clip::open(path).value();
    EXPECT_EQ(clip->info().fps, (Rational{16, 1}));
    EXPECT_EQ(clip->info().frameCount(), 20);
    EXPECT_DOUBLE_EQ(clip->info().durationSeconds, 20 / 16.0);
    const RgbVideo back = readRgb(path).value();
    ASSERT_EQ(back.width, video.width);
    ASSERT_EQ(back.height, video.height);
    EXPECT_GT(psnr(video, back), GetParam().minPsnr ? *GetParam().minPsnr : psnrOfFfmpegsGif(video) - 0.05);
    // Nothing but the clip is left in the folder.
    EXPECT_EQ(std::distance(fs::directory_iterator(m_folder.path()), {}), 1);
}

INSTANTIATE_TEST_SUITE_P(Files, WriterOf,
                         testing::Values(Target{"a.mp4", 40, 96, 64}, Target{"a.webm", 38, 96, 64},
                                         Target{"odd.webm", 38, 95, 63}, Target{"a.gif", {}, 96, 64},
                                         Target{"odd.GIF", {}, 95, 63}, Target{"a.mkv", 1000, 96, 64},
                                         Target{"odd.mkv", 1000, 95, 63}, Target{"large.mkv", 1000, 641, 483},
                                         Target{"thin.mkv", 1000, 4, 700}));

TEST(Writer, RefusesPicturesThatNotEveryFFmpegReadsBack) {
    const ScratchFolder folder;
    const auto refused = writeClip(folder / "thin.mkv", gradient(3, 700, 2, {16, 1}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(refused.error().message, HasSubstr("3x700 can't be kept without loss: at least 4 pixels"));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

double psnrAt(Fidelity fidelity, const char* pixelFormat) {
    const ScratchFolder folder;
    const RgbVideo video = gradient(95, 63, 6, {16, 1});
    auto writer = Writer::create(
        folder / "a.mp4",
        {.width = video.width, .height = video.height, .fps = video.fps, .fidelity = fidelity});
    EXPECT_TRUE(writer) << writer.error().message;
    for (int i = 0; i < video.frameCount(); ++i) EXPECT_TRUE((*writer)->write(video.frame(i)));
    EXPECT_TRUE((*writer)->finish());
    const auto format = test::outputOf("ffprobe -v error -show_entries stream=pix_fmt -of csv=p=0 '" +
                                       (folder / "a.mp4").string() + "'");
    EXPECT_EQ(std::string(format.begin(), format.end()), std::string(pixelFormat) + "\n");
    RgbVideo back = readRgb(folder / "a.mp4").value();
    EXPECT_EQ(back.width, fidelity == Fidelity::Lossless ? 95 : 96);
    if (back.width == video.width) return psnr(video, back);
    const RgbVideo wide = gradient(96, 64, 6, {16, 1});
    return psnr(wide, back);
}

TEST(Writer, Mp4KeepsEveryCodeOrTenBits) {
    EXPECT_GT(psnrAt(Fidelity::Lossless, "yuv444p10le"), 1000) << "every RGB code";
    EXPECT_GT(psnrAt(Fidelity::TenBit, "yuv420p10le"), 25);
}

TEST(Writer, SaysWhichContainersHaveTenBits) {
    const ScratchFolder folder;
    const auto refused = Writer::create(
        folder / "a.webm",
        {.width = 64, .height = 48, .container = Container::WebM, .fidelity = Fidelity::TenBit});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(refused.error().message, HasSubstr("webm isn't written with 10 bits: one of mp4 was needed"));
}

TEST(Writer, TagsMp4AsBt709LimitedWithTheIndexInFront) {
    const ScratchFolder folder;
    ASSERT_TRUE(writeClip(folder / "a.mp4", gradient(96, 64, 5, {16, 1})));
    const auto bytes = test::outputOf(
        "ffprobe -v error -show_entries "
        "stream=codec_name,pix_fmt,color_range,color_space,color_transfer,color_primaries,r_frame_rate -of "
        "default=nw=1 '" +
        (folder / "a.mp4").string() + "'");
    const std::string text(bytes.begin(), bytes.end());
    for (const char* line : {"codec_name=h264", "pix_fmt=yuv420p", "color_range=tv", "color_space=bt709",
                             "color_transfer=bt709", "color_primaries=bt709", "r_frame_rate=16/1"})
        EXPECT_THAT(text, HasSubstr(line));
    std::ifstream file(folder / "a.mp4", std::ios::binary);
    const std::string head(std::istreambuf_iterator<char>(file), {});
    EXPECT_LT(head.find("moov"), head.find("mdat"));
}

TEST(Writer, PixelsOfFourBytesAreTheSamePixels) {
    const ScratchFolder folder;
    constexpr int kWidth = 50, kHeight = 30;
    std::vector<std::uint8_t> rgb, bgrx;
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            const std::uint8_t pixel[] = {std::uint8_t(x < 25 ? 230 : 20), std::uint8_t(y < 15 ? 200 : 40),
                                          90};
            rgb.insert(rgb.end(), pixel, pixel + 3);
            bgrx.insert(bgrx.end(), {pixel[2], pixel[1], pixel[0], std::uint8_t(17 * x)});
        }
    for (const Container container : {Container::Mp4, Container::WebM, Container::Gif}) {
        const std::string ending = encodingOf(container).name;
        std::vector<RgbVideo> read;
        for (const FramePixels pixels : {FramePixels::Rgb24, FramePixels::Bgrx32}) {
            const fs::path file = (folder / (pixels == FramePixels::Rgb24 ? "three." : "four.")) += ending;
            auto writer = Writer::create(
                file, {.width = kWidth, .height = kHeight, .container = container, .pixels = pixels});
            ASSERT_TRUE(writer) << writer.error().message;
            ASSERT_TRUE((*writer)->write(pixels == FramePixels::Rgb24 ? rgb : bgrx));
            EXPECT_FALSE((*writer)->write(pixels == FramePixels::Rgb24 ? bgrx : rgb));
            ASSERT_TRUE((*writer)->finish());
            auto video = readRgb(file);
            ASSERT_TRUE(video) << video.error().message;
            read.push_back(*std::move(video));
        }
        EXPECT_EQ(read[0].pixels, read[1].pixels) << ending;
        EXPECT_GT(read[0].pixels[0], 200) << ending;
        EXPECT_LT(read[0].pixels[3 * (kWidth - 1)], 60) << ending;
    }
}

TEST(Writer, IsTheSameFileEveryTime) {
    const ScratchFolder folder;
    const RgbVideo video = gradient(96, 64, 8, {16, 1});
    for (const std::string type : {".mp4", ".webm", ".gif"}) {
        ASSERT_TRUE(writeClip(folder / ("a" + type), video));
        ASSERT_TRUE(writeClip(folder / ("b" + type), video));
        EXPECT_TRUE(test::runs("cmp -s '" + (folder / ("a" + type)).string() + "' '" +
                               (folder / ("b" + type)).string() + "'"))
            << type;
    }
}

TEST(Writer, GrowsOddMp4SidesByOneRepeatedSample) {
    const ScratchFolder folder;
    const RgbVideo video = gradient(95, 63, 5, {24, 1});
    ASSERT_TRUE(writeClip(folder / "a.mp4", video));
    const RgbVideo back = readRgb(folder / "a.mp4").value();
    ASSERT_EQ(back.width, 96);
    ASSERT_EQ(back.height, 64);
    for (std::size_t y = 0; y < 63; ++y)
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_NEAR(back.pixels[(y * 96 + 94) * 3 + c], video.pixels[(y * 95 + 94) * 3 + c], 16);
            EXPECT_NEAR(back.pixels[(y * 96 + 95) * 3 + c], video.pixels[(y * 95 + 94) * 3 + c], 16);
        }
}

TEST(Writer, WritesASingleFrame) {
    const ScratchFolder folder;
    for (const char* name : {"a.mp4", "a.webm", "a.gif"}) {
        ASSERT_TRUE(writeClip(folder / name, gradient(96, 64, 1, {8, 1})));
        EXPECT_EQ(Clip::open(folder / name).value()->info().frameCount(), 1);
    }
}

TEST(Writer, RefusesWhatItCannotWrite) {
    const ScratchFolder folder;
    EXPECT_EQ(containerOf("a.mov").error().code, ErrorCode::Unsupported);
    EXPECT_EQ(containerOf("noextension").error().code, ErrorCode::Unsupported);
    const auto refuses = [&](int width, int height, Rational fps, Container container, const char* what) {
        auto writer = Writer::create(folder / "a",
                                     {.width = width, .height = height, .fps = fps, .container = container});
        ASSERT_FALSE(writer);
        EXPECT_EQ(writer.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(writer.error().message, HasSubstr(what));
    };
    refuses(0, 64, {16, 1}, Container::Mp4, "0x64");
    refuses(100'000, 100'000, {16, 1}, Container::Mp4, "100000x100000");
    refuses(64, 64, {0, 1}, Container::Mp4, "0/1");
    refuses(64, 64, {60, 1}, Container::Gif, "60/1");
    EXPECT_FALSE(writeClip(folder / "none.mp4", {96, 64, {16, 1}, {}}));
    auto writer = Writer::create(folder / "b.mp4", {.width = 96, .height = 64}).value();
    EXPECT_EQ(writer->write(std::vector<std::uint8_t>(10)).error().code, ErrorCode::BadUsage);
    writer.reset();
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Writer, AFullDiskIsAnIoErrorThatLeavesNothing) {
    const ScratchFolder folder;
    RgbVideo video = gradient(256, 144, 24, {16, 1});
    unsigned noise = 1;
    for (std::uint8_t& sample : video.pixels)
        sample = std::uint8_t((noise = noise * 1664525 + 1013904223) >> 24);
    for (const char* name : {"a.mp4", "a.webm", "a.gif"}) {
        const pid_t child = fork();
        if (child == 0) {
            // In a process of its own, since the limit holds for all of it: 0 is the expected outcome.
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{100'000, 100'000};
            setrlimit(RLIMIT_FSIZE, &limit);
            const auto written = writeClip(folder / name, video);
            if (written) _exit(1);
            if (written.error().code != ErrorCode::Io) _exit(2);
            if (written.error().message.find((folder / name).string()) == std::string::npos) _exit(3);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0) << name;
        EXPECT_TRUE(fs::is_empty(folder.path())) << name;
    }
}

TEST(Writer, AFolderThatCannotBeMadeIsNamed) {
    const ScratchFolder folder;
    std::ofstream(folder / "file") << "x";
    for (const char* name : {"a.mp4", "a.gif"}) {
        const auto written = writeClip(folder / "file" / name, gradient(96, 64, 2, {16, 1}));
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().code, ErrorCode::Io);
        EXPECT_THAT(written.error().message, HasSubstr((folder / "file").string()));
    }
}

}  // namespace
}  // namespace reelgrid::media
