#include "core/perception/vmaf.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/pending_file.h"
#include "core/media/writer.h"

namespace reelgrid::perception {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class VmafTest : public testing::Test {
  protected:
    void SetUp() override {
        fs::create_directories(m_folder);
        if (const char* named = std::getenv("REELGRID_FFMPEG")) m_own = named;
    }
    void TearDown() override {
        fs::remove_all(m_folder);
        if (m_own.empty())
            unsetenv("REELGRID_FFMPEG");
        else
            setenv("REELGRID_FFMPEG", m_own.c_str(), 1);
    }
    /// A program in FFmpeg's place that answers as it is told.
    void pretend(const std::string& filters, const std::string& log, int code = 0) const {
        const fs::path program = m_folder / "an ffmpeg";
        writeFile(program,
                  "#!/bin/sh\nprintf '%s\\n' \"$@\" >>\"$0.words\"\ncase \"$*\" in\n*-version*) echo "
                  "'ffmpeg version 7.0.2-static https://example.org/';;\n*-filters*) echo '" +
                      filters + "';;\n*) echo 'no such stream' >&2\necho '" + log + "'\nexit " +
                      std::to_string(code) + ";;\nesac\n")
            .value();
        fs::permissions(program, fs::perms::owner_all);
        setenv("REELGRID_FFMPEG", program.c_str(), 1);
    }
    /// Waves that move, in blocks of that many pixels.
    [[nodiscard]] fs::path clipOf(const char* name, int block) const {
        constexpr int kWidth = 176, kHeight = 144, kFrames = 4;
        const auto writer = media::Writer::create(m_folder / name, {.width = kWidth,
                                                                    .height = kHeight,
                                                                    .fps = {8, 1},
                                                                    .container = media::Container::Mkv,
                                                                    .fidelity = media::Fidelity::Lossless})
                                .value();
        for (int frame = 0; frame < kFrames; ++frame) {
            std::vector<std::uint8_t> pixels;
            for (int y = 0; y < kHeight; ++y)
                for (int x = 0; x < kWidth; ++x) {
                    const double across = (x / block * block + 2 * frame) / 9.0,
                                 down = y / block * block / 13.0;
                    const double wave = std::sin(across) * std::cos(down) + std::sin((across + down) / 3);
                    pixels.insert(pixels.end(), 3, std::uint8_t(128 + 60 * wave));
                }
            writer->write(pixels).value();
        }
        writer->finish().value();
        return m_folder / name;
    }

    fs::path m_folder = fs::path(testing::TempDir()) / ("vmaf_" + std::to_string(getpid()));
    std::string m_own;
};

TEST_F(VmafTest, AnFfmpegWithoutTheFilterIsNamed) {
    pretend(" ... vmafmotion        V->V       Calculate the VMAF Motion score.", "");
    const auto found = VmafProgram::find();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::Unsupported);
    EXPECT_THAT(found.error().message,
                AllOf(HasSubstr("an ffmpeg 7.0.2-static has no libvmaf"), HasSubstr("REELGRID_FFMPEG")));
    setenv("REELGRID_FFMPEG", "/nowhere/ffmpeg", 1);
    const auto missing = VmafProgram::find();
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("can't start /nowhere/ffmpeg"));
}

TEST_F(VmafTest, ScoresAndVersionsAreReadFromItsLog) {
    constexpr const char* kFilters = " ... libvmaf           VV->V      Calculate the VMAF";
    pretend(kFilters, R"({"version": "3.0.0", "frames": [{"frameNum": 0, "metrics": {"vmaf": 90.5}}, )"
                      R"({"frameNum": 1, "metrics": {"vmaf": 80.0}}]})");
    const auto program = VmafProgram::find();
    ASSERT_TRUE(program) << program.error().message;
    const auto score = vmaf(*program, m_folder / "-a;b.mkv", m_folder / "b.mkv", 2, {});
    ASSERT_TRUE(score) << score.error().message;
    EXPECT_THAT(score->series.perFrame, testing::ElementsAre(90.5, 80));
    EXPECT_EQ(score->with, "vmaf_v0.6.1, libvmaf 3.0.0, FFmpeg 7.0.2-static");
    // No shell, and no name that is taken for an option.
    EXPECT_THAT(readFile(m_folder / "an ffmpeg.words").value(),
                HasSubstr("file:" + (m_folder / "-a;b.mkv").string() + "\n"));

    EXPECT_THAT(vmaf(*program, "a", "b", 3, {}).error().message, HasSubstr("scored 2 frames, 3 were needed"));
    pretend(kFilters, R"({"frames": [{"metrics": {"psnr": 1}}]})");
    EXPECT_THAT(vmaf(*program, "a", "b", 1, {}).error().message, HasSubstr("gave frame 0 no score"));
    pretend(kFilters, "", 3);
    EXPECT_THAT(vmaf(*program, "a", "b", 1, {}).error().message,
                AllOf(HasSubstr("exit code 3"), HasSubstr("no such stream")));
}

/// Through FFmpeg's psnr, which pairs frames as libvmaf does and is in every build.
TEST_F(VmafTest, FramesMeetByTheirNumbersWhateverTheTimeBases) {
    const auto quoted = [&](const char* name) { return "'" + (m_folder / name).string() + "'"; };
    const auto run = [](const std::string& command) { return std::system(command.c_str()); };
    // 1/16 of a second is whole in MP4's units and not in Matroska's or GIF's.
    ASSERT_EQ(
        run("ffmpeg -v error -f lavfi -i testsrc2=s=96x64:r=16:d=1 -c:v libx264 -pix_fmt yuv420p " +
            quoted("a.mp4") + " && ffmpeg -v error -i " + quoted("a.mp4") + " -c:v ffv1 " + quoted("a.mkv")),
        0);
    const auto framesOf = [&](const char* clip, const char* reference) {
        const std::string filters = framesByNumber(16);
        EXPECT_EQ(run("ffmpeg -v quiet -i " + quoted(clip) + " -i " + quoted(reference) + " -lavfi '[0:v]" +
                      filters + "[a];[1:v]" + filters +
                      "[b];[a][b]psnr=shortest=1:stats_file=" + (m_folder / "log").string() + "' -f null -"),
                  0);
        std::istringstream lines(readFile(m_folder / "log").value());
        std::vector<std::string> frames;
        for (std::string line; std::getline(lines, line);) {
            const std::size_t at = line.find("psnr_avg:");
            frames.push_back(line.substr(at, line.find(' ', at) - at));
        }
        return frames;
    };
    const std::vector<std::string> same(16, "psnr_avg:inf");
    EXPECT_EQ(framesOf("a.mp4", "a.mkv"), same);
    EXPECT_EQ(framesOf("a.mkv", "a.mp4"), same);
}

TEST_F(VmafTest, TheStreamThatFramesAreReadFromIsScored) {
    const std::string two = (m_folder / "two.mkv").string();
    ASSERT_EQ(
        std::system(("ffmpeg -v error -f lavfi -i testsrc2=s=32x32:d=1 -f lavfi -i testsrc2=s=96x64:d=1 "
                     "-map 0:v -map 1:v -disposition:v:0 0 -disposition:v:1 default -c:v ffv1 '" +
                     two + "'")
                        .c_str()),
        0);
    EXPECT_EQ(videoOf(0, two), "[0:1]");
    EXPECT_EQ(videoOf(1, m_folder / "none.mkv"), "[1:v]");
}

TEST_F(VmafTest, ARealOneScoresTheSameClipHighAndACoarseOneLower) {
    const auto program = VmafProgram::find();
    if (!program) GTEST_SKIP() << program.error().message;
    const fs::path clean = clipOf("clean.mkv", 1), coarse = clipOf("coarse.mkv", 8);
    const auto same = vmaf(*program, clean, clean, 4, {});
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(same->series.perFrame.size(), 4U);
    EXPECT_GT(same->series.mean, 95);
    const auto other = vmaf(*program, coarse, clean, 3, {});
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_EQ(other->series.perFrame.size(), 3U);
    EXPECT_LT(other->series.mean, same->series.mean - 5);
}

}  // namespace
}  // namespace reelgrid::perception
