#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/unfinished_render.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using std::chrono::steady_clock;
using testing::HasSubstr;

Words renderOf(const fs::path& clip, const Words& more = {}, const std::string& steps = "150") {
    Words words{"render",
                "--model",
                REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline",
                "--prompt",
                "a red car",
                "--width",
                "48",
                "--height",
                "32",
                "--num-frames",
                "5",
                "--num-inference-steps",
                steps,
                "--save-latents-every",
                "4",
                "--output",
                clip.string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::string framesOf(const fs::path& clip) {
    return result::readClipResult(clip).manifest.framesSha256;
}

/// REELGRID_KILLS moments, 10 where it isn't set.
int killsWanted() {
    const char* asked = std::getenv("REELGRID_KILLS");
    return asked != nullptr ? std::atoi(asked) : 10;
}

TEST(Resume, AProcessKilledAtAnyMomentLeavesWhatSaysWhatItIsAndIsTakenUp) {
    const TestFolder folder;
    const auto began = steady_clock::now();
    ASSERT_EQ(runProgram(renderOf(folder.path() / "whole.mp4")).exitCode, 0);
    const std::chrono::duration<double> whole = steady_clock::now() - began;
    const std::string frames = framesOf(folder.path() / "whole.mp4");

    std::minstd_rand random(1);
    int takenUp = 0, wholeAlready = 0;
    for (int kill = 0; kill < killsWanted(); ++kill) {
        const fs::path clip = folder.path() / (std::to_string(kill) + ".mp4");
        const double moment = std::uniform_real_distribution(0.0, 1.0)(random) * whole.count();
        {
            RunningProgram program(renderOf(clip));
            std::this_thread::sleep_for(std::chrono::duration<double>(moment));
            program.signal(SIGKILL);
            (void)program.finish(60);
        }
        SCOPED_TRACE("killed after " + std::to_string(moment) + " s");
        const bool isWhole = !framesOf(clip).empty();
        const auto unfinished = result::readUnfinished(clip);
        ASSERT_TRUE(unfinished) << unfinished.error().message;
        const fs::path files = protocol::resultFolderOf(clip);
        const bool keepsSteps = !isWhole && fs::exists(files / protocol::kResumeFile);
        EXPECT_TRUE(!keepsSteps || *unfinished) << "steps are kept, and nothing says so";
        EXPECT_EQ(isWhole, fs::exists(files / protocol::kManifestFile));

        const ProgramRun again = runProgram(renderOf(clip, {"--resume"}));
        ASSERT_EQ(again.exitCode, 0) << again.errors;
        EXPECT_EQ(framesOf(clip), frames);
        wholeAlready += int(isWhole);
        takenUp += int(!result::readClipResult(clip).manifest.resumedAt.empty());
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(files))
            names.push_back(entry.path().filename().string());
        EXPECT_THAT(names, testing::UnorderedElementsAre("frames.mkv", "latents.safetensors", "manifest.json",
                                                         "metrics.json", "timing.json"));
        fs::remove(clip);
        fs::remove_all(files);
    }
    RecordProperty("taken_up", takenUp);
    std::printf(
        "%d killed renders: %d taken up in the midst, %d begun anew, %d whole before the signal came\n",
        killsWanted(), takenUp, killsWanted() - takenUp - wholeAlready, wholeAlready);
    EXPECT_GT(takenUp, 0);
}

TEST(Resume, AnInterruptionSaysWhatIsKeptAndResumingWhereItGoesOn) {
    const TestFolder folder;
    const fs::path clip = folder.path() / "clip.mp4";
    {
        RunningProgram program(renderOf(clip, {}, "900"));
        (void)program.finish(0);
    }
    const ProgramRun anew = runProgram(renderOf(clip, {"--resume"}, "4"));
    EXPECT_EQ(anew.exitCode, 0) << anew.errors;
    EXPECT_THAT(anew.errors, HasSubstr("has no steps of an interrupted render: it begins anew"));

    const fs::path folderOfClip = protocol::resultFolderOf(clip);
    RunningProgram program(renderOf(clip, {}, "900"));
    while (!fs::exists(folderOfClip / protocol::kResumeFile))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    program.signal(SIGINT);
    const ProgramRun stopped = program.finish(60);
    EXPECT_EQ(stopped.exitCode, 1);
    EXPECT_THAT(stopped.errors,
                HasSubstr(" of 900 steps are kept: the same command with --resume goes on from them"));
    const ProgramRun other = runProgram(renderOf(clip, {"--seed", "7", "--resume"}, "900"));
    EXPECT_EQ(other.exitCode, 1);
    EXPECT_THAT(other.errors, HasSubstr("its seed was 42, now it is 7"));
}

/// A process may be killed between the latents, which count, and the note beside them.
TEST(Resume, WhatIsSaidOfKeptStepsIsReadWhereTheRenderReadsThem) {
    const TestFolder folder;
    const fs::path clip = folder.path() / "clip.mp4", files = protocol::resultFolderOf(clip);
    {
        RunningProgram program(renderOf(clip, {}, "900"));
        while (!fs::exists(files / protocol::kResumeFile))
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        program.signal(SIGINT);
        ASSERT_EQ(program.finish(60).exitCode, 1);
    }
    fs::remove(files / protocol::kUnfinishedFile);
    fs::copy(files, folder.path() / "kept", fs::copy_options::recursive);
    const Words other{"--seed", "7", "--resume"};
    const ProgramRun run = runProgram(renderOf(clip, other, "900"));
    EXPECT_THAT(run.errors, testing::Not(HasSubstr("begins anew")));
    EXPECT_THAT(run.errors, HasSubstr("its seed was 42, now it is 7"));
    const ProgramRun without = runProgram(renderOf(clip, {}, "4"));
    EXPECT_EQ(without.exitCode, 0) << without.errors;
    EXPECT_THAT(without.errors, HasSubstr(" of 900 steps of a render that was interrupted: --resume would"));

    fs::remove_all(files);
    fs::rename(folder.path() / "kept", files);
    fs::resize_file(files / protocol::kResumeFile, 100);
    const ProgramRun damaged = runProgram(renderOf(clip, {"--resume"}, "900"));
    EXPECT_EQ(damaged.exitCode, 1);
    EXPECT_THAT(damaged.errors, testing::Not(HasSubstr("begins anew")));
    EXPECT_THAT(damaged.errors, HasSubstr("resume.safetensors"));
}

TEST(Resume, IsRefusedWhereARenderIsMadeInOneGo) {
    const TestFolder folder;
    const ProgramRun run = runProgram(renderOf(folder.path() / "clip.mp4", {"--resume", "--save-inputs"}));
    EXPECT_EQ(run.exitCode, 2);
    EXPECT_THAT(run.errors, HasSubstr("--resume: with --save-inputs a render is made in one go"));
}

}  // namespace
}  // namespace reelgrid::cli
