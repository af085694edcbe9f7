#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/media/clip.h"
#include "core/metrics/clip_metrics.h"

namespace reelgrid::metrics {
namespace {

namespace fs = std::filesystem;

class FfmpegAgreement : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }
    void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }
    fs::path m_folder = fs::path(testing::TempDir()) / ("reelgrid_metrics_" + std::to_string(getpid()));
};

TEST_F(FfmpegAgreement, PsnrOfEveryFrameIsThatOfFfmpegsFilter) {
    const std::string a = (m_folder / "a.avi").string();
    const std::string b = (m_folder / "b.avi").string();
    const std::string log = (m_folder / "psnr.log").string();
    run("ffmpeg -v error -f lavfi -i testsrc2=s=160x96:r=8:d=2 -c:v rawvideo -pix_fmt bgr24 '" + a + "'");
    run("ffmpeg -v error -i '" + a + "' -vf noise=alls=30:allf=t -c:v rawvideo -pix_fmt bgr24 '" + b + "'");
    run("ffmpeg -v error -i '" + a + "' -i '" + b +
        "' -filter_complex '[0]format=gbrp[a];[1]format=gbrp[b];[a][b]psnr=stats_file=" + log +
        "' -f null -");
    const auto reference = media::readRgb(a).value();
    const auto quality = measure(media::readRgb(b).value(), &reference).value().drift.value();

    std::ifstream lines(log);
    const std::string mark = "psnr_avg:";
    std::size_t frame = 0;
    for (std::string line; std::getline(lines, line); ++frame) {
        const std::size_t at = line.find(mark);
        ASSERT_NE(at, std::string::npos) << line;
        // The filter's sums are of whole numbers, printed with two decimals; RGB comes to us by way of 10-bit
        // YUV, a code off here and there.
        EXPECT_NEAR(quality.psnr->perFrame.at(frame), std::stod(line.substr(at + mark.size())), 0.05);
    }
    EXPECT_EQ(frame, 16U);
    EXPECT_EQ(quality.comparedFrames, 16);
}

}  // namespace
}  // namespace reelgrid::metrics
