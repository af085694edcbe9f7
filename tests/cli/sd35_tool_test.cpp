#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/models/sd35/tiny_model.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

/// The command line of the document on Stable Diffusion 3.5 with AnimateDiff: only the program's name, the
/// model and, since the tiny one has positions for no more, the size are others.
class Sd35Tool : public testing::Test {
  protected:
    ProgramRun run(int frames, const std::string& more) {
        std::istringstream words("--num-frames " + std::to_string(frames) +
                                 " --height 48 --steps 28 --guidance-scale 3.5 --seed 0 --fps 8 " + more);
        std::vector<std::string> arguments{"render",
                                           "--model",
                                           m_model.folder().string(),
                                           "--prompt",
                                           "a red car drives to the right",
                                           "--negative-prompt",
                                           "blurry"};
        for (std::string word; words >> word;) arguments.push_back(word);
        return runProgram(arguments, "", {{"CUDA_VISIBLE_DEVICES", ""}});
    }
    [[nodiscard]] std::string at(const char* name) const { return (m_folder.path() / name).string(); }

    models::sd35::TinyModel m_model{"medium"};
    TestFolder m_folder;
};

TEST_F(Sd35Tool, RendersClipsOfItsLengthsInItsContainers) {
    for (const auto& [name, frames] : {std::pair{"two.gif", 2}, {"eight.webm", 8}, {"sixteen.mp4", 16}}) {
        const ProgramRun done = run(frames, "--width 48 --output " + at(name));
        ASSERT_EQ(done.exitCode, 0) << done.errors;
        ASSERT_TRUE(fs::exists(at(name)));
        const fs::path files = fs::path(at(name)).replace_extension(".files");
        const auto manifest = nlohmann::json::parse(readFile(files / "manifest.json").value());
        EXPECT_EQ(manifest["settings"]["num_frames"], frames);
        EXPECT_EQ(manifest["settings"]["num_inference_steps"], 28);
        EXPECT_EQ(manifest["temporal"]["form"], "latents");
        EXPECT_EQ(manifest["temporal"]["alpha"], 0.35);
        const auto timing = nlohmann::json::parse(readFile(files / "timing.json").value());
        for (const char* phase : {"denoise", "temporal", "decode"})
            EXPECT_TRUE(timing[0]["stages"].contains(phase)) << phase;
    }
}

TEST_F(Sd35Tool, RefusesWhatTheModelCannotDoNamingIt) {
    for (const auto& [more, named] : {std::pair{"--width 50", "--width 50"},
                                      {"--width 4096", "--width 4096"},
                                      {"--skip-guidance-layers 3-9", "--skip-guidance-layers"},
                                      {"--temporal-module /nowhere", "--temporal-module /nowhere"},
                                      {"--max-sequence-length 513", "--max-sequence-length 513"},
                                      {"--use-dynamic-cfg", "--use-dynamic-cfg"}}) {
        const ProgramRun done = run(2, std::string(more) + " --output " + at("none.mp4"));
        EXPECT_NE(done.exitCode, 0) << more;
        EXPECT_THAT(done.errors, testing::HasSubstr(named)) << more;
    }
}

}  // namespace
}  // namespace reelgrid::cli
