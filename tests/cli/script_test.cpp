#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/media/clip.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const fs::path kFixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures";

/// What TurboDiffusion's users have beside each other, in tiny.
class Script : public testing::Test {
  protected:
    TestFolder m_folder;
    std::string m_transformer = m_folder.file("checkpoints/TurboWan2.1-T2V-1.3B-480P.pth");

    void SetUp() override {
        const fs::path checkpoints = m_folder.path() / "checkpoints", tiny = kFixtures / "wan/tiny-pipeline";
        fs::create_directories(checkpoints);
        fs::copy_file(kFixtures / "turbo/TurboWan2.1-T2V-tiny.pth", m_transformer);
        std::ofstream(checkpoints / "config.json")
            << R"({"_class_name": "WanTransformer3DModel", "attention_head_dim": 24})";
        for (const char* part : {"text_encoder", "vae"})
            fs::create_directory_symlink(tiny / part, checkpoints / part);
        fs::create_directory_symlink(tiny / "tokenizer", m_folder.path() / "umt5-xxl");
    }
    [[nodiscard]] std::vector<std::string> command(std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"render",
                                       "--model",
                                       "Wan2.1-1.3B",
                                       "--dit_path",
                                       m_transformer,
                                       "--resolution",
                                       "480p",
                                       "--prompt",
                                       "A stylish woman walks",
                                       "--num_samples",
                                       "1",
                                       "--num_steps",
                                       "4",
                                       "--num_frames",
                                       "1",
                                       "--save_path",
                                       m_folder.file("clip.mp4"),
                                       "--device",
                                       "cpu",
                                       "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    static json manifestOf(const ProgramRun& run) {
        const json document = onlyDocument(run.output);
        return document.is_object() ? document.at("manifest") : json();
    }
};

TEST_F(Script, RunsWithTheProgramAloneReplaced) {
    const ProgramRun run = runProgram(command({"--attention_type", "sla", "--sla_topk", "0.1"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json manifest = manifestOf(run);
    const json& request = manifest.at("settings");
    EXPECT_EQ(request.at("width"), 832);
    EXPECT_EQ(request.at("height"), 480);
    EXPECT_EQ(request.at("num_inference_steps"), 4);
    EXPECT_EQ(request.at("guidance_scale"), 1);
    EXPECT_EQ(request.at("sla_topk"), 0.1);
    EXPECT_EQ(manifest.at("seed"), 0);
    EXPECT_EQ(manifest.at("attention")[0].at("used"), "sla");
    EXPECT_EQ(manifest.at("attention")[0].value("why", ""), "");
    const auto clip = media::Clip::open(m_folder.file("clip.mp4"));
    ASSERT_TRUE(clip) << clip.error().message;
    EXPECT_EQ((*clip)->info().width, 832);
}

TEST_F(Script, TakesItsFurtherOptions) {
    const ProgramRun run = runProgram(
        command({"--attention_type", "original", "--ode", "--sigma_max", "1600", "--seed", "7", "--vae_path",
                 m_folder.file("checkpoints/vae"), "--text_encoder_path",
                 m_folder.file("checkpoints/text_encoder"), "--default_norm", "--aspect_ratio=9:16"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json manifest = manifestOf(run);
    EXPECT_EQ(manifest.at("settings").at("scheduler"), "rcm-ode");
    EXPECT_EQ(manifest.at("settings").at("sigma_max"), 1600);
    EXPECT_EQ(manifest.at("settings").at("height"), 832);
    EXPECT_EQ(manifest.at("seed"), 7);
    EXPECT_EQ(manifest.at("attention")[0].at("requested"), "default");
}

TEST_F(Script, MultipliesAQuantisedCheckpointsIntegers) {
    fs::copy_file(kFixtures / "turbo/TurboWan2.1-T2V-tiny-quant.pth", m_transformer,
                  fs::copy_options::overwrite_existing);
    const ProgramRun run = runProgram(command({"--attention_type", "sagesla", "--quant_linear"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json manifest = manifestOf(run);
    EXPECT_EQ(manifest.at("attention")[0].at("used"), "sagesla");
    EXPECT_EQ(manifest.at("settings").at("linear"), "int8");
    EXPECT_EQ(manifest.at("gemms").at("used"), "int8");
}

TEST_F(Script, UsesSageslaWhereNothingElseIsAskedFor) {
    const ProgramRun run = runProgram(command());
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_EQ(manifestOf(run).at("attention")[0].at("requested"), "sagesla");
}

TEST_F(Script, RefusesWhatItDoesNotHave) {
    const auto refusal = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"render", "--dit_path", m_transformer, "--prompt", "a"};
        words.insert(words.end(), more.begin(), more.end());
        const ProgramRun run = runProgram(words);
        EXPECT_EQ(run.exitCode, 2) << run.errors;
        return run.errors;
    };
    EXPECT_THAT(refusal({"--cached_embedding", "a.pt"}),
                HasSubstr("--cached-embedding: not in this version"));
    EXPECT_THAT(refusal({"--serve"}), HasSubstr("--serve: not in this version"));
    EXPECT_THAT(refusal({"--num_samples", "2"}),
                HasSubstr("--num-samples 2: 1 (in this version) was needed"));
    EXPECT_THAT(refusal({"--resolution", "1080p"}),
                HasSubstr("--resolution 1080p: one of 480p, 720p was needed"));
    EXPECT_THAT(refusal({"--aspect_ratio", "2:1"}),
                HasSubstr("--aspect-ratio 2:1: one of 16:9, 9:16, 4:3, 3:4, 1:1 was needed"));
    EXPECT_THAT(refusal({"--resolution", "480p", "--width", "64"}),
                HasSubstr("--width or --height is given, too"));
    EXPECT_THAT(refusal({"--model", "Wan3"}),
                HasSubstr("--model Wan3: beside --dit-path one of Wan2.1-1.3B, Wan2.1-14B, Wan2.2-A14B"));
    EXPECT_THAT(refusal({"--sla_topk", "0"}), HasSubstr("--sla-topk 0: a value above 0, at most 1"));
    EXPECT_THAT(refusal({"--scheduler", "unipc", "--ode"}), HasSubstr("--ode: --scheduler is unipc"));
    EXPECT_THAT(refusal({"--image_path", "a.png"}), HasSubstr("--img-file-path"));
}

}  // namespace
}  // namespace reelgrid::cli
