#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/models/cogvideox/tiny_model.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// The command lines of the tools that CogVideoX's attention was compared with before, as their document has
/// them: only the program's name and the model are others.
class CogVideoXTool : public testing::Test {
  protected:
    void SetUp() override {
        fs::current_path(m_folder.path());
        // Where the document's examples look for what its tools have rendered.
        fs::create_directories("op_tests/sagev1_tests");
        fs::create_directory_symlink(m_folder.path() / "rendered_videos",
                                     "op_tests/sagev1_tests/rendered_videos");
    }
    void TearDown() override { fs::current_path(m_before); }

    /// The words of a command line; tools that render get the model unless they are told one.
    ProgramRun run(const std::string& line) {
        std::istringstream text(line);
        std::vector<std::string> arguments;
        for (std::string word; text >> word;)
            arguments.push_back(word == "/path/to/local/model" ? m_model.folder().string() : word);
        const bool renders = arguments.front() == "render" || arguments.front() == "compare";
        if (renders && std::ranges::find(arguments, "--model_path") == arguments.end()) {
            arguments.emplace_back("--model_path");
            arguments.push_back(m_model.folder());
        }
        ProgramRun done = runProgram(arguments, "", {{"CUDA_VISIBLE_DEVICES", ""}});
        EXPECT_EQ(done.exitCode, 0) << line << "\n" << done.errors;
        return done;
    }
    static std::vector<std::string> namesIn(const fs::path& folder, const std::string& extension) {
        std::vector<std::string> names;
        for (const auto& file : fs::directory_iterator(folder))
            if (file.path().extension() == extension) names.push_back(file.path().filename());
        std::ranges::sort(names);
        return names;
    }

    models::cogvideox::TinyModel m_model{"2b"};
    TestFolder m_folder;
    fs::path m_before = fs::current_path();
};

TEST_F(CogVideoXTool, RendersOneAttentionType) {
    run("render --attention_type sagev1");
    run("render --attention_type fav3_fp8 --model_path /path/to/local/model");
    EXPECT_THAT(namesIn(".", ".mp4"),
                testing::ElementsAre("cogvideox-t2v_fav3_fp8.mp4", "cogvideox-t2v_sagev1.mp4"));
    const auto manifest = nlohmann::json::parse(readFile("cogvideox-t2v_sagev1.files/manifest.json").value());
    EXPECT_EQ(manifest["settings"]["num_inference_steps"], 50);
    EXPECT_EQ(manifest["settings"]["guidance_scale"], 6.0);
    EXPECT_EQ(manifest["settings"]["fps"], 8.0);
    EXPECT_EQ(manifest["seed"], 42);
    EXPECT_THAT(manifest["settings"]["prompt"].get<std::string>(), HasSubstr("A panda"));
    ASSERT_EQ(manifest["attention"].size(), 1u);
    EXPECT_EQ(manifest["attention"][0]["requested"], "sagev1");
    EXPECT_EQ(manifest["attention"][0]["used"], "sagev1");
    EXPECT_EQ(manifest["attention"][0]["calls"], 2 * 50 * 2);
}

TEST_F(CogVideoXTool, RendersAllTypesAndStitchesThem) {
    run("compare --stitch");
    const auto clips = namesIn("rendered_videos/results", ".mp4");
    EXPECT_THAT(clips, testing::IsSupersetOf({"cogvideox-t2v_sdpa.mp4", "cogvideox-t2v_sagev1.mp4",
                                              "cogvideox-t2v_fav2.mp4", "cogvideox-t2v_fav3.mp4",
                                              "cogvideox-t2v_fav3_fp8.mp4", "cogvideox-t2v_fav3_sage.mp4"}));
    EXPECT_TRUE(fs::exists("rendered_videos/comparison_grid.mp4"));

    EXPECT_THAT(run("stitch --input_dir ./op_tests/sagev1_tests/rendered_videos").output,
                HasSubstr("comparison_grid.mp4"));
    run("stitch --input_dir ./rendered_videos --output my_comparison.mp4");
    run("stitch --input_dir ./rendered_videos --font_size 48");
    const auto stitched = onlyDocument(
        run("stitch --input_dir ./rendered_videos --fps 24 --pattern cogvideox-*.mp4 --json").output);
    EXPECT_EQ(stitched["fps"], 24);
    ASSERT_EQ(stitched["clips"].size(), clips.size());
    EXPECT_EQ(stitched["clips"][0]["label"], "fav2");
    EXPECT_EQ(namesIn(".", ".mp4"), (std::vector<std::string>{"comparison_grid.mp4", "my_comparison.mp4"}));
}

TEST_F(CogVideoXTool, RendersChosenTypesAndElsewhere) {
    run("compare --types sagev1,fav3_fp8,fav3_sage");
    EXPECT_EQ(namesIn("rendered_videos/results", ".mp4").size(), 3u);
    run("compare --types sdpa --output-dir ./my_videos");
    EXPECT_EQ(namesIn("my_videos/results", ".mp4").size(), 1u);
}

TEST_F(CogVideoXTool, SavesInputsAndBenchmarksThem) {
    const auto saved = [&] { return namesIn("captured_inputs", ".pt").size() - 1; };  // and the metadata
    run("render --attention_type sagev1 --save_inputs --input_dir ./captured_inputs");
    EXPECT_EQ(saved(), 10u);
    for (const char* choice : {"--kernel sagev1", "--kernel fav3_fp8", "--kernel sdpa -metric throughput"})
        EXPECT_THAT(run("bench attention --input_dir ./captured_inputs " + std::string(choice)).output,
                    HasSubstr("38"))  // tokens: 20 of text and 3·2·3 of video
            << choice;
    run("render --attention_type sagev1 --save_inputs --input_dir ./captured_inputs --max_captures 100");
    EXPECT_EQ(saved(), 100u);
    run("render --attention_type sagev1 --save_inputs --input_dir ./captured_inputs --max_captures 0");
    EXPECT_EQ(saved(), 200u);
}

}  // namespace
}  // namespace reelgrid::cli
