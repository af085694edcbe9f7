#include "core/media/stitch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <fstream>

#include "core/base/sha256.h"
#include "core/media/clip.h"
#include "core/media/grid_plan.h"
#include "core/media/rgb.h"
#include "core/media/writer.h"
#include "tests/media/barcode.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;
using test::encodeBarcodes;
using test::readBarcode;
using test::ScratchFolder;
using testing::HasSubstr;

constexpr const char* kH264 = "-c:v libx264 -preset veryfast -g 12 -bf 2 -pix_fmt yuv420p";

/// A barcoded input and the frame it must show at a time, by the rule and not by the code under test.
struct Input {
    std::string file;
    int count;
    int width;
    int height;
    int rate;  // frames a second
    std::string options = kH264;
    int offset = 0;  // frames of its own that it is ahead

    [[nodiscard]] int frameAt(int outputFrame, int outputRate) const {
        return std::clamp(outputFrame * rate / outputRate + offset, 0, count - 1);
    }
};

class Stitch : public testing::Test {
  protected:
    std::vector<LabelledClip> make(const std::vector<Input>& inputs) {
        std::vector<LabelledClip> clips;
        for (const Input& input : inputs) {
            EXPECT_TRUE(encodeBarcodes(m_folder / input.file, input.count, input.width, input.height,
                                       std::to_string(input.rate), input.options));
            clips.push_back({m_folder / input.file, input.file, double(input.offset) / input.rate});
        }
        return clips;
    }

    GridPlan planOf(const std::vector<LabelledClip>& clips, const GridLayout& layout = {}) {
        std::vector<std::unique_ptr<Clip>> opened;
        std::vector<const ClipInfo*> infos;
        for (const LabelledClip& clip : clips) {
            opened.push_back(Clip::open(clip.path).value());
            infos.push_back(&opened.back()->info());
        }
        return planGrid(infos, layout).value();
    }

    /// Every tile of every frame of the grid shows what the rule says.
    void expectTiles(const fs::path& grid, const std::vector<Input>& inputs, const GridPlan& plan, int rate) {
        auto clip = Clip::open(grid).value();
        EXPECT_NEAR(clip->info().fps.value(), rate, 1e-9);
        ASSERT_EQ(clip->info().width, plan.width);
        ASSERT_EQ(clip->info().height, plan.height);
        for (int n = 0; n < clip->info().frameCount(); ++n) {
            auto frame = clip->frame(n);
            ASSERT_TRUE(frame) << frame.error().message;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                const GridTile& tile = plan.tiles[i];
                const auto shown = readBarcode((*frame)->y, (*frame)->bitDepth, tile.left, tile.top,
                                               tile.width, tile.height);
                ASSERT_EQ(shown, inputs[i].frameAt(n, rate)) << inputs[i].file << " at grid frame " << n;
            }
        }
    }
    ScratchFolder m_folder;
};

TEST_F(Stitch, ShowsTheRightFrameInEveryTileForMixedRatesSizesAndLengths) {
    const std::vector<Input> inputs{
        {"a.mp4", 17, 96, 64, 8},
        {"b.mp4", 33, 96, 64, 16},
        {"c.webm", 49, 160, 96, 24, "-c:v libvpx-vp9 -deadline realtime -cpu-used 8"},
        {"d.mp4", 30, 96, 128, 30},
        {"e.mkv", 20, 192, 128, 16, "-c:v libx264 -pix_fmt yuv444p10le"}};
    const auto clips = make(inputs);
    int calls = 0;
    auto grid = stitch(clips, m_folder / "grid.mp4", {}, {}, [&](int done, int total) {
        EXPECT_EQ(done, ++calls);
        EXPECT_EQ(total, 64);
    });
    ASSERT_TRUE(grid) << grid.error().message;
    EXPECT_EQ(grid->columns, 3);
    EXPECT_EQ(grid->fps, (Rational{30, 1}));
    EXPECT_EQ(grid->frameCount, 64);  // 17/8 s, the longest, at 30 frames a second
    EXPECT_EQ(calls, 64);
    expectTiles(m_folder / "grid.mp4", inputs, planOf(clips), 30);
}

TEST_F(Stitch, SaysFirstWhichClipMakesTheGridMuchLonger) {
    const std::vector<Input> inputs{{"a.mp4", 8, 96, 64, 4}, {"long.mp4", 70, 96, 64, 1}};
    const auto clips = make(inputs);
    std::vector<std::string> told;
    const StitchOptions options{.remarkOnTiming = [&](const std::string& remark) { told.push_back(remark); }};
    const auto grid = stitch(clips, m_folder / "grid.mp4", options, {},
                             [&](int, int) { EXPECT_EQ(told.size(), 1U) << "before the first frame"; });
    ASSERT_TRUE(grid) << grid.error().message;
    EXPECT_THAT(told,
                testing::ElementsAre((m_folder / "long.mp4").string() +
                                     ": it lasts 70 s, the others 2 s at most: the grid has 280 frames, "
                                     "in most of which they hold their last one"));
    told.clear();
    ASSERT_TRUE(stitch(std::span(clips).subspan(1), m_folder / "one.mp4", options));
    EXPECT_THAT(told, testing::IsEmpty());
}

TEST_F(Stitch, AClipIsAsFarAheadAsItsOffsetSays) {
    const std::vector<Input> inputs{{"a.mp4", 16, 96, 64, 8},
                                    {"ahead.mp4", 16, 96, 64, 8, kH264, 3},
                                    {"behind.mp4", 16, 96, 64, 8, kH264, -2}};
    const auto clips = make(inputs);
    const auto grid = stitch(clips, m_folder / "grid.mp4");
    ASSERT_TRUE(grid) << grid.error().message;
    EXPECT_EQ(grid->frameCount, 18);  // until the one that begins later ends
    expectTiles(m_folder / "grid.mp4", inputs, planOf(clips), 8);
    // The grid is no longer than what is still to be shown of its clips.
    EXPECT_EQ(stitch(std::span(clips).subspan(1, 1), m_folder / "one.mp4").value().frameCount, 13);
}

TEST_F(Stitch, NineTilesAtAnAskedForRateAndColumns) {
    std::vector<Input> inputs;
    for (int i = 0; i < 9; ++i)
        inputs.push_back({"clip" + std::to_string(i) + ".mp4", 12 + 2 * i, 96, 64,
                          std::array{8, 16, 24}[std::size_t(i % 3)]});
    const auto clips = make(inputs);
    ASSERT_TRUE(stitch(clips, m_folder / "grid.webm", {.columns = 5, .fps = {12, 1}}));
    const GridPlan plan = planOf(clips, {.columns = 5, .fps = {12, 1}});
    EXPECT_EQ(plan.columns, 5);
    EXPECT_EQ(plan.rows, 2);
    expectTiles(m_folder / "grid.webm", inputs, plan, 12);
}

TEST_F(Stitch, WritesGif) {
    const std::vector<Input> inputs{{"a.mp4", 16, 96, 64, 8}, {"b.mp4", 20, 96, 64, 10}};
    const auto clips = make(inputs);
    ASSERT_TRUE(stitch(clips, m_folder / "grid.gif"));
    expectTiles(m_folder / "grid.gif", inputs, planOf(clips), 10);
    // 60 frames a second is more than a GIF can have.
    const auto fast = make({{"f.mp4", 12, 96, 64, 60}});
    EXPECT_EQ(stitch(fast, m_folder / "fast.gif").value().fps, (Rational{50, 1}));
}

TEST_F(Stitch, VariableRatesFollowTheClipsOwnTimes) {
    // Frame n at n·80 ms + 40 ms for odd n, so at 25 frames a second: 0 0 0 1 2 2 2 3 …
    ASSERT_TRUE(
        encodeBarcodes(m_folder / "vfr.mp4", 20, 96, 64, "25",
                       "-vf \"settb=1/1000,setpts=N*80+mod(N\\,2)*40\" -vsync passthrough -enc_time_base "
                       "1:1000 -video_track_timescale 1000 -c:v libx264 -bf 2 -pix_fmt yuv420p "
                       "-bsf:v setts=pts=PTS:dts=DTS:duration=40"));
    ASSERT_TRUE(stitch(std::vector<LabelledClip>{{m_folder / "vfr.mp4", "vfr"}}, m_folder / "grid.mp4",
                       {.fps = {25, 1}, .fontSize = 0}));
    auto grid = Clip::open(m_folder / "grid.mp4").value();
    ASSERT_GE(grid->info().frameCount(), 40);
    for (int n = 0; n < 40; ++n) {
        const int expected = n / 4 * 2 + (n % 4 == 3 ? 1 : 0);
        EXPECT_EQ(readBarcode(*grid->frame(n).value()), expected) << n;
    }
}

TEST_F(Stitch, CopiesSamplesUntouchedWhenClipsAgree) {
    const auto clips = make({{"a.mp4", 4, 96, 64, 8}, {"b.mp4", 4, 96, 64, 8}});
    ASSERT_TRUE(stitch(clips, m_folder / "grid.mp4", {.fontSize = 0}));
    const FramePtr one = Clip::open(m_folder / "a.mp4").value()->frame(2).value();
    const FramePtr grid = Clip::open(m_folder / "grid.mp4").value()->frame(2).value();
    EXPECT_EQ(grid->width, 192);
    EXPECT_EQ(grid->height, 64);
    EXPECT_EQ(grid->color, one->color);
    for (int y = 0; y < 64; y += 7)
        for (int x = 0; x < 96; x += 5)
            EXPECT_NEAR(grid->y.bytes[std::size_t(y * grid->y.stride + x)],
                        one->y.bytes[std::size_t(y * one->y.stride + x)], 6);
}

TEST_F(Stitch, ConvertsClipsWhoseColoursDiffer) {
    const std::string solid = "-vf drawbox=c=red:t=fill -c:v libx264 -qp 0 -pix_fmt yuv420p ";
    auto clips = make({{"a.mp4", 4, 96, 64, 8, solid + "-colorspace smpte170m"}});
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -f lavfi -i color=red:s=96x64:r=8:d=0.5 -vf "
                   "scale=out_color_matrix=bt709:out_range=pc -c:v libx264 -qp 0 -pix_fmt yuvj420p "
                   "-colorspace bt709 -color_range pc '" +
                   (m_folder / "b.mp4").string() + "'"));
    clips.push_back({m_folder / "b.mp4", "b"});
    ASSERT_TRUE(stitch(clips, m_folder / "grid.mp4", {.fontSize = 0}));
    const RgbVideo grid = readRgb(m_folder / "grid.mp4").value();
    for (const std::size_t x : {40U, 140U}) {
        const auto pixel = grid.frame(1).subspan((32 * 192 + x) * 3, 3);
        EXPECT_GE(pixel[0], 248) << x;
        EXPECT_LE(pixel[1], 6) << x;
        EXPECT_LE(pixel[2], 6) << x;
    }
}

TEST_F(Stitch, DrawsLabelsAboveThePictures) {
    auto clips = make({{"a.mp4", 2, 256, 144, 8}, {"b.mp4", 2, 256, 144, 8}});
    clips[1].label = "it's 100%: [b],c\\d";
    ASSERT_TRUE(stitch(clips, m_folder / "grid.mp4"));
    const GridPlan plan = planOf(clips);
    EXPECT_EQ(plan.fontSize, 18);
    const FramePtr grid = Clip::open(m_folder / "grid.mp4").value()->frame(0).value();
    for (const GridTile& tile : plan.tiles) {
        int bright = 0;
        for (int y = tile.labelTop; y < tile.top; ++y)
            for (int x = 0; x < plan.cellWidth; ++x)
                bright += grid->y.bytes[std::size_t(y * grid->y.stride + tile.cellLeft + x)] > 180;
        EXPECT_GT(bright, 20);
        EXPECT_LT(bright, plan.cellWidth * plan.labelHeight / 3);
    }
}

TEST_F(Stitch, StopsWithinAFrameWhenAsked) {
    const auto clips = make({{"a.mp4", 40, 96, 64, 8}});
    std::stop_source stop;
    const auto grid = stitch(clips, m_folder / "grid.mp4", {}, stop.get_token(), [&](int done, int) {
        ASSERT_LE(done, 5);
        if (done == 5) stop.request_stop();
    });
    ASSERT_FALSE(grid);
    EXPECT_EQ(grid.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(std::distance(fs::directory_iterator(m_folder.path()), {}), 1);
}

TEST_F(Stitch, RefusesBadInputInOneLine) {
    const auto clips = make({{"a.mp4", 4, 96, 64, 8}});
    const auto fails = [&](std::vector<LabelledClip> with, const std::string& output,
                           const StitchOptions& options, ErrorCode code, const std::string& what) {
        const auto grid = stitch(with, m_folder / output, options);
        ASSERT_FALSE(grid) << what;
        EXPECT_EQ(grid.error().code, code) << grid.error().message;
        EXPECT_THAT(grid.error().message, HasSubstr(what));
        EXPECT_FALSE(fs::exists(m_folder / "grid.mp4"));
    };
    std::ofstream(m_folder / "bad.mp4") << "no clip";
    auto withBad = clips;
    withBad.push_back({m_folder / "bad.mp4", "bad"});
    fails(withBad, "grid.mp4", {}, ErrorCode::InvalidData, "bad.mp4");
    fails({{m_folder / "none.mp4", "none"}}, "grid.mp4", {}, ErrorCode::NotFound, "none.mp4");
    fails({}, "grid.mp4", {}, ErrorCode::BadUsage, "0 clips");
    fails(clips, "grid.mov", {}, ErrorCode::BadUsage, ".mov");
    fails(clips, "a.mp4", {}, ErrorCode::BadUsage, "a.mp4");
    fails(clips, "grid.mp4", {.columns = -1}, ErrorCode::BadUsage, "-1 columns");
    fails(clips, "grid.mp4", {.fps = {-3, 1}}, ErrorCode::BadUsage, "-3/1");
    fails(clips, "grid.mp4", {.fontSize = -5}, ErrorCode::BadUsage, "-5");
    fails(clips, "grid.mp4", {.fontFile = "/nowhere.ttf"}, ErrorCode::NotFound, "/nowhere.ttf");
    fails(clips, "bad.mp4/grid.mp4", {}, ErrorCode::Io, "bad.mp4");
}

TEST_F(Stitch, AFullDiskIsAnIoErrorThatLeavesTheOldGrid) {
    const auto clips =
        make({{"a.mp4", 24, 256, 144, 8, "-vf noise=alls=100:allf=t -c:v libx264 -qp 10 -pix_fmt yuv420p"}});
    std::ofstream(m_folder / "grid.mp4") << "old";
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{50'000, 50'000};
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto grid = stitch(clips, m_folder / "grid.mp4");
        _exit(!grid && grid.error().code == ErrorCode::Io ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    EXPECT_EQ(fs::file_size(m_folder / "grid.mp4"), 3U);
    EXPECT_EQ(std::distance(fs::directory_iterator(m_folder.path()), {}), 2);
}

ClipInfo infoOf(int width, int height, int rate, int frames) {
    ClipInfo info{width, height, {1, 1}, {rate, 1}, {}, double(frames) / rate, "h264"};
    for (int i = 0; i < frames; ++i) info.frameSeconds.push_back(double(i) / rate);
    return info;
}

TEST(GridPlan, ColumnsDefaultToTheRootRoundedUp) {
    const ClipInfo info = infoOf(96, 64, 8, 4);
    for (const auto& [count, columns] : {std::pair{1, 1}, {2, 2}, {3, 2}, {4, 2}, {5, 3}, {9, 3}, {10, 4}}) {
        const std::vector<const ClipInfo*> infos(std::size_t(count), &info);
        EXPECT_EQ(planGrid(infos, {}).value().columns, columns) << count;
    }
}

TEST(GridPlan, KeepsShapesAndCentresThemInEqualCells) {
    const ClipInfo wide = infoOf(200, 100, 8, 4);
    const ClipInfo tall = infoOf(100, 200, 8, 4);
    const std::vector<const ClipInfo*> infos{&wide, &tall};
    const GridPlan plan = planGrid(infos, {.fontSize = 0}).value();
    EXPECT_EQ(plan.cellWidth, 200);
    EXPECT_EQ(plan.cellHeight, 200);
    EXPECT_EQ(plan.tiles[0].width, 200);
    EXPECT_EQ(plan.tiles[0].height, 100);
    EXPECT_EQ(plan.tiles[0].top, 50);
    EXPECT_EQ(plan.tiles[1].width, 100);
    EXPECT_EQ(plan.tiles[1].left, 250);
    const ClipInfo odd = infoOf(95, 63, 8, 4);
    const std::vector<const ClipInfo*> one{&odd};
    EXPECT_EQ(planGrid(one, {}).value().tiles[0].width, 95);  // not scaled for the sake of one sample
}

TEST(GridPlan, StaysWithinWhatDecodersTake) {
    const ClipInfo info = infoOf(3840, 2160, 24, 4);
    const std::vector<const ClipInfo*> infos(9, &info);
    const GridPlan plan = planGrid(infos, {}).value();
    EXPECT_LE(plan.width, 8192);
    EXPECT_LE(plan.height, 8192);
    EXPECT_NEAR(double(plan.tiles[0].width) / plan.tiles[0].height, 16.0 / 9, 0.01);
}

/// A clip of one colour a frame, without loss.
RgbVideo plain(int width, int height, std::array<std::uint8_t, 3> color) {
    RgbVideo video{width, height, {16, 1}, {}};
    for (int i = 0; i < 2 * width * height; ++i)
        video.pixels.insert(video.pixels.end(), color.begin(), color.end());
    return video;
}

TEST(LosslessGrid, HasEveryCodeOfItsClips) {
    const ScratchFolder folder;
    const std::array<std::array<std::uint8_t, 3>, 3> colors{{{201, 17, 3}, {5, 99, 254}, {77, 78, 80}}};
    std::vector<LabelledClip> clips;
    for (std::size_t i = 0; i < colors.size(); ++i) {
        const auto file = folder / (std::to_string(i) + ".mkv");
        ASSERT_TRUE(writeClip(file, plain(64, 48, colors[i])));
        clips.push_back({file, "clip"});
    }
    for (const char* name : {"grid.mkv", "grid.mp4"}) {
        StitchOptions options{.columns = 3, .fontSize = 0};
        options.fidelity = Fidelity::Lossless;
        const auto grid = stitch(clips, folder / name, options);
        ASSERT_TRUE(grid) << grid.error().message;
        const RgbVideo back = readRgb(folder / name).value();
        ASSERT_EQ(back.frameCount(), 2);
        for (std::size_t i = 0; i < colors.size(); ++i) {
            const std::size_t at =
                3 * (std::size_t(24) * std::size_t(back.width) + i * std::size_t(back.width) / 3 + 32);
            for (std::size_t c = 0; c < 3; ++c)
                EXPECT_EQ(back.pixels[at + c], colors[i][c]) << name << ", tile " << i;
        }
    }
}

TEST(LosslessGrid, LabelsAreWhiteOnBlackInEveryFormat) {
    const ScratchFolder folder;
    ASSERT_TRUE(writeClip(folder / "a.mkv", plain(200, 96, {90, 90, 90})));
    for (const auto& [name, fidelity] :
         {std::pair{"usual.mp4", Fidelity::Usual}, std::pair{"ten.mp4", Fidelity::TenBit},
          std::pair{"all.mp4", Fidelity::Lossless}, std::pair{"all.mkv", Fidelity::Lossless}}) {
        StitchOptions options;
        options.fidelity = fidelity;
        const auto grid =
            stitch(std::vector<LabelledClip>{{folder / "a.mkv", "MMM"}}, folder / name, options);
        ASSERT_TRUE(grid) << name << ": " << grid.error().message;
        const RgbVideo back = readRgb(folder / name).value();
        const auto label = std::span(back.pixels).first(3 * std::size_t(back.width) * 20);
        EXPECT_GT(*std::ranges::max_element(label), 225) << name;
        EXPECT_LT(*std::ranges::min_element(label), 8) << name;
    }
}

/// Time and size of each packet of a file's sound, as FFmpeg's program has them.
std::vector<std::pair<double, int>> soundOf(const fs::path& file) {
    const std::string command =
        "ffprobe -v error -select_streams a -show_entries packet=pts_time,size -of csv=p=0 '" +
        file.string() + "'";
    std::vector<std::pair<double, int>> packets;
    std::FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 256> line{};
    double seconds = 0;
    int size = 0;
    while (std::fgets(line.data(), line.size(), pipe) != nullptr)
        if (std::sscanf(line.data(), "%lf,%d", &seconds, &size) == 2) packets.emplace_back(seconds, size);
    pclose(pipe);
    return packets;
}

/// How many begin while `seconds` of pictures last.
std::size_t countWithin(const fs::path& file, double seconds) {
    const auto packets = soundOf(file);
    return std::size_t(std::ranges::count_if(
        packets, [&](const auto& each) { return each.first >= 0 && each.first < seconds; }));
}

constexpr const char* kWithSound =
    "-f lavfi -i sine=frequency=440:duration=3:sample_rate=48000 -c:v libx264 -g 12 -pix_fmt yuv420p -c:a "
    "aac "
    "-shortest";

TEST_F(Stitch, OneClipsSoundGoesIntoTheGridAsItIs) {
    auto clips = make({{"silent.mp4", 32, 96, 64, 16}, {"loud.mp4", 32, 96, 64, 16, kWithSound}});
    clips[1].offsetSeconds = 0.5;
    const fs::path grid = m_folder / "grid.mp4";
    const auto written = stitch(clips, grid);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(written->soundOf, clips[1].path);
    EXPECT_EQ(written->soundRemark, "");
    const auto before = soundOf(clips[1].path), after = soundOf(grid);
    std::vector<std::pair<double, int>> expected;
    for (const auto& [seconds, size] : before)
        if (seconds >= 0.5 && seconds < 2.5) expected.emplace_back(seconds - 0.5, size);
    ASSERT_GT(expected.size(), 60U);
    ASSERT_EQ(after.size(), expected.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
        ASSERT_EQ(after[i].second, expected[i].second) << i;
        ASSERT_NEAR(after[i].first, expected[i].first, 0.001) << i;
    }
    EXPECT_EQ(Clip::open(grid).value()->info().frameCount(), written->frameCount);
    const fs::path mkv = m_folder / "grid.mkv";
    ASSERT_TRUE(stitch(clips, mkv));
    EXPECT_EQ(soundOf(mkv).size(), expected.size());
}

TEST_F(Stitch, TheSoundAskedForIsTakenAndOneThatCannotBeIsNamed) {
    auto clips = make({{"first.mp4", 16, 96, 64, 16, kWithSound}, {"second.mp4", 16, 96, 64, 8, kWithSound}});
    const fs::path grid = m_folder / "grid.mp4";
    EXPECT_EQ(stitch(clips, grid)->soundOf, clips[0].path);
    const auto second = stitch(clips, grid, {.soundOf = 1});
    EXPECT_EQ(second->soundOf, clips[1].path);
    EXPECT_EQ(soundOf(grid).size(), countWithin(clips[1].path, 2));
    // By index the second plays twice as fast.
    const auto fast = stitch(clips, grid, {.sync = ClipSync::ByIndex, .soundOf = 1});
    EXPECT_EQ(fast->soundOf, "");
    EXPECT_EQ(fast->soundRemark,
              "the sound of second.mp4 is left out: the grid plays its frames at another rate");
    EXPECT_TRUE(soundOf(grid).empty());
    EXPECT_EQ(stitch(clips, m_folder / "grid.webm")->soundRemark,
              "the sound of first.mp4 (aac) is left out: webm can't have it");
    // Kept frames have none of their own.
    clips = make({{"silent.mp4", 16, 96, 64, 16}});
    clips[0].soundFile = m_folder / "first.mp4";
    EXPECT_FALSE(stitch(clips, grid)->soundOf.empty());
    EXPECT_EQ(soundOf(grid).size(), countWithin(m_folder / "first.mp4", 1));
}

TEST_F(Stitch, TheGridSaysWhichClipsItIsOf) {
    auto clips = make({{"first.mp4", 8, 96, 64, 16}, {"second.mp4", 8, 96, 64, 8}});
    const auto hashOf = [&](const char* name) { return sha256OfFile(m_folder / name).value(); };
    for (const char* name : {"grid.mp4", "grid.mkv", "grid.webm"}) {
        ASSERT_TRUE(stitch(clips, m_folder / name));
        EXPECT_THAT(clipsOfGrid(m_folder / name),
                    testing::ElementsAre(hashOf("first.mp4"), hashOf("second.mp4")))
            << name;
    }
    clips[1].soundFile = m_folder / "first.mp4";  // whose kept frames second.mp4 has
    ASSERT_TRUE(stitch(clips, m_folder / "grid.mp4"));
    EXPECT_EQ(clipsOfGrid(m_folder / "grid.mp4").back(), hashOf("first.mp4"));
    EXPECT_THAT(clipsOfGrid(m_folder / "first.mp4"), testing::IsEmpty());
    EXPECT_THAT(clipsOfGrid(m_folder / "absent.mp4"), testing::IsEmpty());
}

}  // namespace
}  // namespace reelgrid::media
