#include <gmock/gmock.h>

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/media/clip.h"
#include "tests/cli/program.h"
#include "tests/cli/small_clip.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class MediaVerbs : public testing::Test {
  protected:
    void SetUp() override {
        writeSmallClip(m_folder.path() / "wan_result_t2v_attn_sdpa_48x64.mp4", 8, 40);
        writeSmallClip(m_folder.path() / "wan_result_t2v_attn_fav2_48x64.mp4", 5, 60);
        writeSmallClip(m_folder.path() / "holiday.mp4", 5, 60);
        // What killed processes leave, as it is named now and as it was.
        for (const char* left : {".wan_result_t2v_attn_sla_48x64.mp4.partial-552-3.mp4",
                                 "wan_result_t2v_attn_sagev1_48x64.mp4.partial-552-3.mp4"})
            std::ofstream(m_folder.path() / left) << "half";
    }
    TestFolder m_folder;
};

TEST_F(MediaVerbs, StitchFindsTheRendersOfAFolder) {
    const std::string grid = m_folder.file("grid.mp4");
    const ProgramRun run = runProgram({"stitch", "--input_dir", m_folder.path(), "--output", grid, "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_TRUE(document.is_object()) << run.output;
    EXPECT_EQ(document["output"], grid);
    ASSERT_EQ(document["clips"].size(), 2u);
    EXPECT_EQ(document["clips"][0]["label"], "fav2");
    EXPECT_EQ(document["clips"][1]["label"], "sdpa");
    const auto clip = media::Clip::open(grid);
    ASSERT_TRUE(clip) << clip.error().message;
    EXPECT_EQ((*clip)->info().frameCount(), 8);
    EXPECT_EQ((*clip)->info().width, document["width"]);
}

/// The exit code of the program in a shell.
int exitCodeIn(const std::string& before, const std::string& arguments) {
    const std::string line = before + " exec '" REELGRID_BINARY_DIR "/bin/reelgrid-cli' " + arguments;
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(MediaVerbs, AResultThatCannotBeWrittenIsAFailure) {
    const std::string errors = " 2>'" + m_folder.file("errors") + "'";
    const std::string metrics = "metrics '" + m_folder.file("holiday.mp4") + "'";
    for (const std::string& arguments :
         {std::string("--help"), std::string("render --help"), std::string("--version"), metrics}) {
        EXPECT_EQ(exitCodeIn("", arguments + " >/dev/null" + errors), 0) << arguments;
        EXPECT_EQ(exitCodeIn("", arguments + " >/dev/full" + errors), 1) << arguments;
        EXPECT_EQ(exitCodeIn("", arguments + " >&-" + errors), 1) << arguments;
        EXPECT_THAT(readFile(m_folder.file("errors")).value(), HasSubstr("can't write the result to stdout"));
    }
}

TEST_F(MediaVerbs, ALimitOnFilesIsToldAndLeavesNothing) {
    const std::string grid = m_folder.file("grid.mp4");
    EXPECT_EQ(exitCodeIn("ulimit -f 1;", "stitch --input-dir '" + m_folder.path().string() + "' --output '" +
                                             grid + "' >/dev/null 2>'" + m_folder.file("errors") + "'"),
              1);
    for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
        EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("grid"))) << "a partial file";
}

TEST_F(MediaVerbs, StitchTakesPatternFontSizeAndRate) {
    const std::string grid = m_folder.file("grid.gif");
    const ProgramRun run = runProgram({"stitch", "--input_dir", m_folder.path(), "--pattern", "holi*.mp4",
                                       "--font_size", "12", "--fps", "8", "--output", grid, "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(document["clips"].size(), 1u);
    EXPECT_EQ(document["fps"], 8.0);
}

TEST_F(MediaVerbs, StitchTakesClipsInOrderWithLabels) {
    const ProgramRun run = runProgram({"stitch", m_folder.file("wan_result_t2v_attn_sdpa_48x64.mp4"),
                                       m_folder.file("holiday.mp4"), "--labels", "before,after", "--columns",
                                       "1", "--output", m_folder.file("grid.webm"), "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(document["columns"], 1);
    EXPECT_EQ(document["clips"][0]["label"], "before");
    EXPECT_EQ(document["clips"][1]["label"], "after");
}

TEST_F(MediaVerbs, StitchLeavesNothingBehindWhenAClipIsCorrupt) {
    std::ofstream(m_folder.path() / "broken.mp4") << "not a video";
    const ProgramRun run = runProgram({"stitch", m_folder.file("holiday.mp4"), m_folder.file("broken.mp4"),
                                       "--output", m_folder.file("grid.mp4")});
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr("broken.mp4"));
    for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
        EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("grid")));
}

TEST_F(MediaVerbs, MetricsAgainstAReferenceIsOneDocument) {
    const ProgramRun run = runProgram({"metrics", m_folder.file("holiday.mp4"), "--reference",
                                       m_folder.file("wan_result_t2v_attn_sdpa_48x64.mp4"), "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_TRUE(document.is_object()) << run.output;
    EXPECT_EQ(document["frames"], 5);
    EXPECT_EQ(document["frame_correlation"]["per_frame"].size(), 4u);
    EXPECT_EQ(document["psnr"]["per_frame"].size(), 5u);
    EXPECT_GT(document["psnr"]["mean"], 15.0);
    EXPECT_LT(document["psnr"]["mean"], 30.0);
    EXPECT_LT(document["ssim"]["mean"], 1.0);
}

TEST_F(MediaVerbs, APlaylistIsNoClip) {
    std::ofstream(m_folder.path() / "clip.mp4")
        << "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:1,\nholiday.mp4\n"
           "#EXT-X-ENDLIST\n";
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"metrics", m_folder.file("clip.mp4")},
          {"stitch", m_folder.file("clip.mp4"), "--output", m_folder.file("grid.mp4")}}) {
        const ProgramRun run = runProgram(arguments);
        EXPECT_EQ(run.exitCode, 1);
        EXPECT_EQ(run.output, "");
        EXPECT_THAT(run.errors, HasSubstr("HTTP Live Streaming"));
    }
}

TEST_F(MediaVerbs, MetricsWithoutReferenceHasNoPsnr) {
    const json document =
        onlyDocument(runProgram({"metrics", m_folder.file("holiday.mp4"), "--json"}).output);
    ASSERT_TRUE(document.is_object());
    EXPECT_TRUE(document.contains("flickering"));
    EXPECT_FALSE(document.contains("psnr"));
}

TEST_F(MediaVerbs, MetricsAsCsvHasALineAFrame) {
    const ProgramRun run = runProgram({"metrics", m_folder.file("holiday.mp4"), "--csv"});
    ASSERT_EQ(run.exitCode, 0);
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 6);
}

TEST_F(MediaVerbs, MetricsWithoutTheirWeightsAreNamedAndNothingElseIsPrinted) {
    const std::map<std::string, std::string> bare{{"HF_HUB_CACHE", m_folder.file("no-cache")},
                                                  {"TORCH_HOME", m_folder.file("no-torch")},
                                                  {"REELGRID_FFMPEG", "/nowhere/ffmpeg"}};
    const auto said = [&](const std::string& metric, const std::vector<std::string>& more) {
        std::vector<std::string> words{"metrics", m_folder.file("holiday.mp4"), "--metrics", metric};
        words.insert(words.end(), more.begin(), more.end());
        const ProgramRun run = runProgram(words, "", bare);
        EXPECT_NE(run.exitCode, 0);
        EXPECT_THAT(run.output, testing::IsEmpty());
        return run.errors;
    };
    const std::vector<std::string> reference{"--reference", m_folder.file("holiday.mp4")};
    EXPECT_THAT(said("lpips", {}), HasSubstr("--metrics lpips: --reference was needed"));
    EXPECT_THAT(said("lpips", reference),
                HasSubstr("lpips needs weights: torchvision's alexnet-owt-7be5be79.pth"));
    EXPECT_THAT(said("clip", {}), HasSubstr("models download openai/clip-vit-base-patch32"));
    EXPECT_THAT(said("vmaf", reference), HasSubstr("can't start /nowhere/ffmpeg"));
}

}  // namespace
}  // namespace reelgrid::cli
