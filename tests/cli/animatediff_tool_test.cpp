#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "tests/cli/program.h"
#include "tests/models/animatediff/tiny_model.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using models::animatediff::TinyModel;
using testing::HasSubstr;

/// The command line of the tool that AnimateDiff was asked from, as its document has it: only the program's
/// name, the model and, for a model so small, the size and the steps are others.
class AnimateDiffTool : public testing::Test {
  protected:
    ProgramRun run(const std::vector<std::string>& more, const fs::path& model) {
        std::vector<std::string> arguments{
            "render",  "--model", model.string(),     "--prompt", "a red car", "--height", "32",
            "--width", "32",      "--guidance-scale", "3.5",      "--seed",    "0",        "--fps",
            "8"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return runProgram(arguments, "", {{"CUDA_VISIBLE_DEVICES", ""}});
    }
    ProgramRun run(const std::vector<std::string>& more) { return run(more, m_model.folder()); }
    static nlohmann::json manifestOf(const fs::path& clip) {
        fs::path files = clip;
        return nlohmann::json::parse(readFile(files.replace_extension(".files") / "manifest.json").value());
    }

    TinyModel m_model{TinyModel::Motion::Inside};
    TestFolder m_folder;
};

TEST_F(AnimateDiffTool, RendersSequencesIntoEachContainerAndSaysWhatTheyTook) {
    for (const auto& [frames, name] : {std::pair{"2", "x.mp4"}, {"8", "x.gif"}, {"16", "y.webm"}}) {
        const fs::path clip = m_folder.file(name);
        const ProgramRun done = run({"--negative-prompt", "blurry", "--num-frames", frames, "--steps", "2",
                                     "--output", clip.string()});
        ASSERT_EQ(done.exitCode, 0) << done.errors;
        EXPECT_GT(fs::file_size(clip), 100u);
        const auto settings = manifestOf(clip)["settings"];
        EXPECT_EQ(settings["num_frames"], std::stoi(frames));
        EXPECT_EQ(settings["num_inference_steps"], 2);
        EXPECT_EQ(settings["guidance_scale"], 3.5);
        EXPECT_EQ(settings["fps"], 8.0);
        for (const char* said : {"phase ", "a frame", "text ", "denoise ", "decode ", "all ", "latents ",
                                 "weights ", "memory at most "})
            EXPECT_THAT(done.errors, HasSubstr(said));
        fs::remove_all(fs::path(clip).replace_extension(".files"));
    }
}

TEST_F(AnimateDiffTool, SaysWhatOfAPromptIsCut) {
    std::string words = "a dog";
    for (int i = 0; i < 100; ++i) words += " and a boat";
    const fs::path clip = m_folder.file("long.mp4");
    const ProgramRun done = run(
        {"--prompt-travel", "1: " + words, "--num-frames", "2", "--steps", "1", "--output", clip.string()});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_THAT(done.errors, HasSubstr("the prompt at frame 1 is cut at 77 tokens, this is not seen: "));
    ASSERT_EQ(manifestOf(clip)["remarks"].size(), 1u);
}

TEST_F(AnimateDiffTool, TakesAnImageModelAndAnAdapterAndGoesOnFromAnotherClip) {
    const TinyModel base(TinyModel::Motion::Apart);
    const fs::path first = m_folder.file("first.mp4"), second = m_folder.file("second.mp4"),
                   kept = m_folder.file("kept.safetensors");
    const std::vector<std::string> usual{
        "--motion-adapter", TinyModel::adapter().string(), "--steps", "2", "--num-frames", "3"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), usual.begin(), usual.end());
        return run(more, base.folder());
    };
    const ProgramRun began = with({"--chain-save", kept.string(), "--output", first.string()});
    ASSERT_EQ(began.exitCode, 0) << began.errors;
    EXPECT_EQ(fs::file_size(kept), fs::file_size(m_folder.path() / "first.files/latents.safetensors"));
    for (const fs::path& from : {first, kept}) {
        const ProgramRun done = with({"--chain-from", from.string(), "--output", second.string()});
        ASSERT_EQ(done.exitCode, 0) << done.errors;
        EXPECT_EQ(manifestOf(second)["pictures"].size(), 1u);
        EXPECT_NE(manifestOf(second)["frames_sha256"], manifestOf(first)["frames_sha256"]);
    }
    std::string damaged = readFile(kept).value();
    damaged.back() ^= 1;
    ASSERT_TRUE(writeFile(kept, damaged));
    const ProgramRun changed = with({"--chain-from", kept.string(), "--output", second.string()});
    EXPECT_EQ(changed.exitCode, 1);
    EXPECT_THAT(changed.errors, HasSubstr("kept.safetensors: tensor \"latents\" isn't what was written"));
    const ProgramRun bare = run({"--output", second.string()}, base.folder());
    EXPECT_EQ(bare.exitCode, 1);
    EXPECT_THAT(bare.errors, HasSubstr("--motion-adapter names one"));
    const ProgramRun missing = with({"--chain-from", "nowhere.mp4", "--output", second.string()});
    EXPECT_NE(missing.exitCode, 0);
    EXPECT_THAT(missing.errors, HasSubstr("--chain-from"));
    EXPECT_THAT(missing.errors, HasSubstr("nowhere.mp4: no such file"));
    for (const fs::path& into : {m_folder.path() / "kept.pt", m_folder.path()}) {
        const ProgramRun named = with({"--chain-save", into.string(), "--output", second.string()});
        EXPECT_EQ(named.exitCode, 2);
        EXPECT_THAT(named.errors, HasSubstr(into.string() + ": a file whose name ends in .safetensors"));
    }
    // Other latents in the place of the clip's, then another clip in its own.
    const auto refusal = [&] {
        const ProgramRun refused = with({"--chain-from", first.string(), "--output", second.string()});
        EXPECT_NE(refused.exitCode, 0);
        return refused.errors;
    };
    const auto copy = [&](const fs::path& from, const fs::path& to) {
        fs::copy_file(from, to, fs::copy_options::overwrite_existing);
    };
    copy(m_folder.path() / "second.files/latents.safetensors",
         m_folder.path() / "first.files/latents.safetensors");
    EXPECT_THAT(refusal(),
                HasSubstr("its latents.safetensors is not the one that its manifest.json is about"));
    copy(second, first);
    EXPECT_THAT(refusal(), HasSubstr("it is about another clip than " + first.string()));
    fs::remove(first);
    EXPECT_THAT(refusal(), HasSubstr("first.mp4: no such file"));
}

TEST_F(AnimateDiffTool, RefusesAStepCacheByName) {
    const ProgramRun done = run({"--step-cache", "0.2", "--output", m_folder.file("x.mp4")});
    EXPECT_EQ(done.exitCode, 2);
    EXPECT_THAT(done.errors, HasSubstr("--step-cache: animatediff models have no use for it"));
}

}  // namespace
}  // namespace reelgrid::cli
