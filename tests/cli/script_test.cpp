#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/media/clip.h"
#include "tests/cli/program.h"
#include "tests/cli/small_clip.h"
#include "tests/hub/test_hub.h"

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

TEST_F(Script, SaysWhichOfItsOptionsDecideNothing) {
    const ProgramRun run = runProgram(command({"--adaptive_resolution", "--rank-timeout", "30"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors,
                HasSubstr("note: --adaptive-resolution decides nothing here: there is no picture"));
    EXPECT_THAT(run.errors, HasSubstr("note: --rank-timeout decides nothing here: one process renders"));
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

TEST_F(Script, RendersAsManySamplesEachWithASeedOfItsOwn) {
    std::vector<std::string> words = command({"--seed", "7"});
    words[std::size_t(std::ranges::find(words, "--num_samples") - words.begin()) + 1] = "2";
    const ProgramRun run = runProgram(words);
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_EQ(document.size(), 2U);
    EXPECT_EQ(document[0].at("manifest").at("seed"), 7);
    EXPECT_EQ(document[1].at("manifest").at("seed"), 8);
    EXPECT_NE(document[0].at("manifest").at("frames_sha256"), document[1].at("manifest").at("frames_sha256"));
    for (const char* clip : {"clip_seed7.mp4", "clip_seed8.mp4"})
        EXPECT_TRUE(fs::exists(m_folder.path() / clip)) << clip;
    EXPECT_FALSE(fs::exists(m_folder.path() / "clip.mp4"));
}

TEST_F(Script, DownloadsABareTransformerByItsIdWithWhatItComesWithout) {
    const hub::TestHub server;
    const auto serve = [&](const std::string& file, const fs::path& content) {
        fs::create_directories((server.folder() / "served" / file).parent_path());
        fs::copy_file(content, server.folder() / "served" / file);
    };
    const fs::path tiny = kFixtures / "wan/tiny-pipeline";
    serve("TurboDiffusion/Tiny/TurboWan2.1-T2V-tiny.pth", m_transformer);
    serve("TurboDiffusion/Tiny/README.md", kFixtures / "turbo/README.md");
    fs::path tokenizer;
    for (const auto& entry : fs::directory_iterator(tiny / "tokenizer"))
        if (entry.path().filename() == "tokenizer.json") tokenizer = entry.path();
    ASSERT_FALSE(tokenizer.empty());
    serve("Wan-AI/Wan2.1-T2V-1.3B/google/umt5-xxl/tokenizer.json", tokenizer);
    // So small a network says how wide its heads are.
    const fs::path snapshot = server.access().cache / "models--TurboDiffusion--Tiny/snapshots/" /
                              "0123456789abcdef0123456789abcdef01234567";
    fs::create_directories(snapshot);
    fs::copy_file(m_folder.path() / "checkpoints/config.json", snapshot / "config.json");
    const std::map<std::string, std::string> environment{
        {"HF_ENDPOINT", server.access().endpoint},
        {"HF_HUB_CACHE", server.access().cache.string()},
        {"HOME", m_folder.path().string()},
    };
    const ProgramRun run = runProgram({"render",
                                       "--model",
                                       "TurboDiffusion/Tiny",
                                       "--vae",
                                       (tiny / "vae").string(),
                                       "--text-encoder",
                                       (tiny / "text_encoder").string(),
                                       "--prompt",
                                       "a",
                                       "--width",
                                       "64",
                                       "--height",
                                       "64",
                                       "--num-frames",
                                       "1",
                                       "--device",
                                       "cpu",
                                       "--output",
                                       m_folder.file("hub.mp4"),
                                       "--json"},
                                      "", environment);
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json manifest = manifestOf(run);
    EXPECT_EQ(manifest.at("model").at("id"), "TurboDiffusion/Tiny");
    EXPECT_TRUE(fs::exists(snapshot / "TurboWan2.1-T2V-tiny.pth"));
    EXPECT_FALSE(fs::exists(snapshot / "README.md"));
    std::size_t asked = server.log().size();
    EXPECT_GT(asked, 0U);
    const ProgramRun again = runProgram({"models", "show", "TurboDiffusion/Tiny"}, "", environment);
    EXPECT_EQ(server.log().size(), asked) << "all is in the cache";
}

TEST_F(Script, RendersByARecipeAndSaysSo) {
    std::ofstream(m_folder.file("fast.json"))
        << R"({"num_inference_steps": 2, "guidance_scale": 1, "scheduler": "rcm-ode", "sigma_max": 1600})";
    const std::vector<std::string> words{"render",
                                         "--model",
                                         m_transformer,
                                         "--prompt",
                                         "a",
                                         "--recipe",
                                         m_folder.file("fast.json"),
                                         "--width",
                                         "64",
                                         "--height",
                                         "64",
                                         "--num-frames",
                                         "1",
                                         "--device",
                                         "cpu",
                                         "--output",
                                         m_folder.file("fast.mp4"),
                                         "--json"};
    const ProgramRun run = runProgram(words);
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json settings = manifestOf(run).at("settings");
    EXPECT_EQ(settings.at("recipe"), "fast");
    EXPECT_EQ(settings.at("num_inference_steps"), 2);
    EXPECT_EQ(settings.at("scheduler"), "rcm-ode");
    std::vector<std::string> own = words;
    own.insert(own.end(), {"--num-inference-steps", "1"});
    const ProgramRun other = runProgram(own);
    ASSERT_EQ(other.exitCode, 0) << other.errors;
    EXPECT_EQ(manifestOf(other).at("settings").at("num_inference_steps"), 1) << "the request's own wins";
    const ProgramRun wrong =
        runProgram({"render", "--model", "demo-i2v", "--recipe", "lightx2v-t2v", "--prompt", "a"});
    EXPECT_EQ(wrong.exitCode, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("--recipe lightx2v-t2v: model demo-i2v is of family wan2.1-i2v"));
}

TEST_F(Script, WhatARecipeHasWrongIsSaidOfItsFile) {
    const std::string file = m_folder.file("mine.json");
    const auto refusal = [&](const char* recipe, std::vector<std::string> more = {}) {
        std::ofstream(file) << recipe;
        std::vector<std::string> words{"render", "--recipe", file, "--output", m_folder.file("mine.mp4")};
        words.insert(words.end(), more.begin(), more.end());
        const ProgramRun run = runProgram(words);
        EXPECT_EQ(run.exitCode, 2) << recipe;
        return run.errors;
    };
    EXPECT_THAT(refusal("{}"), HasSubstr("recipe " + file + ": it sets nothing; one of lora, "));
    EXPECT_THAT(refusal(R"({"scheduler": ""})"),
                HasSubstr("recipe " + file + ": scheduler \"\": some text was needed"));
    EXPECT_THAT(refusal(R"({"scheduler": "ddim"})"), HasSubstr("recipe " + file + ": scheduler ddim: "));
    EXPECT_THAT(refusal(R"({"flow_shift": 0})"), HasSubstr("recipe " + file + ": flow_shift 0: "));
    EXPECT_THAT(refusal(R"({"flow_shift": 5})", {"--scheduler", "ddim"}),
                HasSubstr("reelgrid-cli: --scheduler ddim: "))
        << "which the recipe hasn't said";
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
    EXPECT_THAT(refusal({"--num_samples", "0"}),
                HasSubstr("--num-samples 0: a number from 1 to 1000 was needed"));
    EXPECT_THAT(refusal({"--num_samples", "2", "--chain-save", "a.safetensors"}),
                testing::AnyOf(HasSubstr("--chain-save"), HasSubstr("--num-samples")));
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

/// A line of a document, and what comes of it: nothing to complain of, or a line of these words.
struct DocumentLine {
    const char* line;
    const char* said = nullptr;
    std::vector<std::string> standIns = {};
};

void PrintTo(const DocumentLine& line, std::ostream* out) {
    *out << line.line;
}

/// The words from the script on, up to a pipe.
std::vector<std::string> wordsOf(const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    bool quoted = false, begun = false;
    for (const char letter : line + " ") {
        if (letter == '"') {
            quoted = !quoted;
            begun = true;
        } else if (letter == ' ' && !quoted) {
            if (begun) words.push_back(word);
            word.clear();
            begun = false;
        } else {
            word += letter;
            begun = true;
        }
    }
    const auto isScript = [](const std::string& text) {
        return text.ends_with(".py") || text.ends_with(".sh");
    };
    words.erase(words.begin(), std::find_if(words.begin(), words.end(), isScript));
    words.erase(std::find(words.begin(), words.end(), "2>&1"), words.end());
    return words;
}

/// A folder to work in, as those lines expect one: three clips, captures, nothing on the hub.
class DocumentLines : public testing::TestWithParam<DocumentLine> {
  protected:
    static void SetUpTestSuite() {
        s_folder = new TestFolder;
        fs::create_directories(s_folder->path() / "rendered_videos");
        for (const char* name : {"cogvideox-sdpa.mp4", "cogvideox-fav2.mp4", "cogvideox-sagev1.mp4"})
            writeSmallClip(s_folder->path() / "rendered_videos" / name, 4, 60);
        const ProgramRun run = runProgram({"render", "--height", "48", "--width", "64", "--num-frames", "5",
                                           "--num-inference-steps", "1", "--save-inputs", "--input-dir",
                                           s_folder->file("captured_inputs"), "--max-captures", "2",
                                           "--output", s_folder->file("captured.mp4")});
        ASSERT_EQ(run.exitCode, 0) << run.errors;
    }
    static void TearDownTestSuite() {
        delete s_folder;
        s_folder = nullptr;
    }
    void SetUp() override { fs::current_path(s_folder->path()); }
    void TearDown() override { fs::current_path(m_before); }
    [[nodiscard]] static ProgramRun run(const std::vector<std::string>& words) {
        return runProgram(words, "", {{"HF_HUB_OFFLINE", "1"}, {"HF_HOME", s_folder->file("hub")}});
    }

    static TestFolder* s_folder;
    fs::path m_before = fs::current_path();
};
TestFolder* DocumentLines::s_folder = nullptr;

TEST_P(DocumentLines, RunOrMissOnlyTheirWeights) {
    std::vector<std::string> words = wordsOf(GetParam().line);
    ASSERT_FALSE(words.empty());
    words.insert(words.end(), GetParam().standIns.begin(), GetParam().standIns.end());
    const ProgramRun ran = run(words);
    if (GetParam().said == nullptr) {
        EXPECT_EQ(ran.exitCode, 0) << ran.errors;
    } else {
        EXPECT_EQ(ran.exitCode, 1) << ran.errors;
        EXPECT_THAT(ran.errors, HasSubstr(GetParam().said));
    }
}

constexpr const char* kNoCogVideo = "model THUDM/CogVideoX-2b: not a folder here and not (or not whole) in";
constexpr const char* kNoWan = "model Wan-AI/Wan2.2-I2V-A14B-Diffusers: not a folder here and not (or not";

INSTANTIATE_TEST_SUITE_P(
    AttentionComparisonTools, DocumentLines,
    testing::Values(
        DocumentLine{"./op_tests/sagev1_tests/render_all_attention.sh --stitch", kNoCogVideo},
        DocumentLine{"python op_tests/sagev1_tests/sageattn_cogvideo.py --attention_type sagev1",
                     kNoCogVideo},
        DocumentLine{
            "python op_tests/sagev1_tests/sageattn_cogvideo.py --attention_type fav3_fp8 --model_path "
            "/path/to/local/model",
            "model /path/to/local/model: no such file or folder"},
        DocumentLine{
            "python op_tests/sagev1_tests/sageattn_cogvideo.py --attention_type fav3_fp8 --model_path "
            "demo-cogvideox",
            nullptr,
            {"--num_frames", "9", "--num_inference_steps", "1"}},
        DocumentLine{"./op_tests/sagev1_tests/render_all_attention.sh", kNoCogVideo},
        DocumentLine{"./op_tests/sagev1_tests/render_all_attention.sh --types sagev1,fav3_fp8,fav3_sage",
                     kNoCogVideo},
        DocumentLine{"./op_tests/sagev1_tests/render_all_attention.sh --output-dir ./my_videos", kNoCogVideo},
        DocumentLine{"python op_tests/sagev1_tests/stitch_comparison.py --input_dir ./rendered_videos"},
        DocumentLine{
            "python op_tests/sagev1_tests/stitch_comparison.py --input_dir ./rendered_videos --output "
            "my_comparison.mp4"},
        DocumentLine{"python op_tests/sagev1_tests/stitch_comparison.py --input_dir ./rendered_videos "
                     "--font_size 48"},
        DocumentLine{
            "python op_tests/sagev1_tests/stitch_comparison.py --input_dir ./rendered_videos --fps 24"},
        DocumentLine{
            "python op_tests/sagev1_tests/sageattn_cogvideo.py --attention_type sagev1 --save_inputs "
            "--input_dir ./captured",
            kNoCogVideo},
        DocumentLine{
            "python op_tests/sagev1_tests/sageattn_cogvideo.py --attention_type sagev1 --save_inputs "
            "--input_dir ./captured --max_captures 100",
            kNoCogVideo},
        DocumentLine{
            "python op_tests/sagev1_tests/sageattn_cogvideo.py --attention_type sagev1 --save_inputs "
            "--input_dir ./captured --max_captures 0",
            kNoCogVideo},
        DocumentLine{"python op_tests/sagev1_tests/sageattn_cogvideo.py --compile", kNoCogVideo},
        DocumentLine{"python op_tests/op_benchmarks/triton/bench_cogvideo.py --input_dir ./captured_inputs "
                     "--kernel sagev1"},
        DocumentLine{"python op_tests/op_benchmarks/triton/bench_cogvideo.py --input_dir ./captured_inputs "
                     "--kernel fav3_fp8"},
        DocumentLine{"python op_tests/op_benchmarks/triton/bench_cogvideo.py --input_dir ./captured_inputs "
                     "--kernel sdpa -metric throughput"},
        DocumentLine{"./op_tests/sagev1_tests/render_all_WAN.sh", kNoWan},
        DocumentLine{"./op_tests/sagev1_tests/render_all_WAN.sh --stitch", kNoWan},
        DocumentLine{"./op_tests/sagev1_tests/render_all_WAN.sh --reuse --stitch", kNoWan},
        DocumentLine{"./op_tests/sagev1_tests/render_all_WAN.sh --types sagev1,fav3_fp8", kNoWan},
        DocumentLine{"./op_tests/sagev1_tests/render_all_WAN.sh --output-dir ./my_wan_videos --stitch",
                     kNoWan},
        DocumentLine{"./op_tests/sagev1_tests/render_all_WAN.sh --nproc 2 --font-size 20 --fps 8 "
                     "--img-file-path a.png --model-path /missing/model",
                     "model /missing/model: no such file or folder"},
        DocumentLine{"torchrun --nproc_per_node=8 op_tests/sagev1_tests/run_wan.py --task i2v --height 720 "
                     "--width 1280 --model Wan-AI/Wan2.2-I2V-A14B-Diffusers --img_file_path "
                     "/app/Wan/i2v_input.JPG --ulysses_degree 8 --seed 42 --num_frames 81 --prompt \"Summer "
                     "beach vacation style, a white cat wearing sunglasses sits on a surfboard.\" "
                     "--num_repetitions 1 --num_inference_steps 40 --use_torch_compile "
                     "--benchmark_output_directory results_Wan22 --attention_type fav3_sage --save_inputs "
                     "--max_captures 10 2>&1 | tee results_Wan22/logs.txt",
                     kNoWan}));

INSTANTIATE_TEST_SUITE_P(
    WanVaeBenchmark, DocumentLines,
    testing::Values(DocumentLine{"python wan_vae_benchmark.py --frames 5 --size 64*64",
                                 "model Wan-AI/Wan2.2-I2V-A14B: its vae is not in "},
                    DocumentLine{"python wan_vae_benchmark.py --frames 21 --size 832*480",
                                 "checkpoints/Wan2.1_VAE.pth",
                                 {"--model", "checkpoints/Wan2.1_VAE.pth"}},
                    DocumentLine{"python wan_vae_benchmark.py --frames 21 --size 832*480 --tile_px 128",
                                 "checkpoints/Wan2.1_VAE.pth",
                                 {"--model", "checkpoints/Wan2.1_VAE.pth"}}));

INSTANTIATE_TEST_SUITE_P(
    TurboDiffusion, DocumentLines,
    testing::Values(DocumentLine{
        "PYTHONPATH=./turbodiffusion/ python turbodiffusion/inference/wan2.1_t2v_infer.py --model "
        "Wan2.1-1.3B "
        "--dit_path checkpoints/TurboWan2.1-T2V-1.3B-480P.pth --resolution 480p --prompt \"A stylish woman "
        "walks down a Tokyo street filled with warm glowing neon and animated city signage.\" --num_samples "
        "1 "
        "--num_steps 4 --attention_type sla --sla_topk 0.1",
        "model checkpoints/TurboWan2.1-T2V-1.3B-480P.pth: no such file or folder"}));

/// Documents 3 and 4 have no lines but those of Python's and their own set-up.
using ScriptsOwnWays = DocumentLines;

TEST_F(ScriptsOwnWays, ThreeClipsMakeOneRow) {
    ASSERT_EQ(run({"stitch_comparison", "--output", "row.mp4"}).exitCode, 0);
    const auto grid = media::Clip::open("row.mp4");
    ASSERT_TRUE(grid) << grid.error().message;
    EXPECT_GE((*grid)->info().width, 3 * 64);
    EXPECT_LT((*grid)->info().height, 2 * 48);
}

TEST_F(ScriptsOwnWays, TheVaeOfAuthorsScriptsIsTakenFromTheirCache) {
    const fs::path cached = s_folder->path() / "home/.cache/wan/Wan2.1_VAE.pth";
    fs::create_directories(cached.parent_path());
    std::ofstream(cached) << "no checkpoint";
    const ProgramRun ran =
        runProgram({"wan_vae_benchmark.py", "--frames", "5", "--size", "64*64"}, "",
                   {{"HF_HUB_OFFLINE", "1"}, {"HOME", (s_folder->path() / "home").string()}});
    EXPECT_NE(ran.exitCode, 0);
    EXPECT_THAT(ran.errors, HasSubstr(cached.string()));
}

TEST_F(ScriptsOwnWays, TheirHelpHasTheirDefaults) {
    const ProgramRun ran = run({"run_wan", "--help"});
    EXPECT_EQ(ran.exitCode, 0) << ran.errors;
    EXPECT_THAT(ran.output, HasSubstr("with the defaults of run_wan"));
    EXPECT_THAT(ran.output, HasSubstr("--num-repetitions INT=5 "));
    EXPECT_THAT(run({"render", "--help"}).output, HasSubstr("--num-repetitions INT=1 "));
}

TEST_F(ScriptsOwnWays, RunWanLeavesItsFiles) {
    const ProgramRun ran = run({"run_wan.py",
                                "--task",
                                "t2v",
                                "--model",
                                "demo",
                                "--prompt",
                                "a rocket",
                                "--height",
                                "48",
                                "--width",
                                "64",
                                "--num_frames",
                                "5",
                                "--num_inference_steps",
                                "2",
                                "--num_repetitions",
                                "1",
                                "--attention_type",
                                "sagev1",
                                "--save_inputs",
                                "--max_captures",
                                "2",
                                "--use_torch_compile",
                                "--profile_output",
                                "first",
                                "--profile_wait",
                                "0",
                                "--profile_warmup",
                                "0",
                                "--benchmark_output_directory",
                                "runs"});
    ASSERT_EQ(ran.exitCode, 0) << ran.errors;
    for (const char* file :
         {"runs/results/timing.json", "runs/sagev1_input_000000.pt",
          "runs/traces/first/wan_traces_rank0.json.gz",
          "runs/results/wan_result_t2v_ulysses1_ringNone_compileFalse_attn_sagev1_48x64.mp4"})
        EXPECT_TRUE(fs::is_regular_file(file)) << file;
}

TEST_F(ScriptsOwnWays, RenderAllWanTakesClipsOfOtherRunsByTheirNames) {
    fs::create_directories("wan/results");
    const std::string of = "wan/results/wan_result_t2v_ulysses8_ringNone_compileTrue_attn_";
    writeSmallClip(of + "default_48x64.mp4", 5, 60);
    writeSmallClip(of + "sagev1_48x64.mp4", 5, 80);
    const ProgramRun ran = run({"render_all_WAN.sh", "--model-path", "demo", "--task", "t2v", "--height",
                                "48", "--width", "64", "--num-frames", "5", "--num-inference-steps", "2",
                                "--types", "sagev1,fav2", "--reuse", "--stitch", "--output-dir", "wan"});
    ASSERT_EQ(ran.exitCode, 0) << ran.errors;
    EXPECT_THAT(ran.errors, HasSubstr("attn_sagev1_48x64.mp4 is reused by its name"));
    EXPECT_THAT(ran.errors, HasSubstr("attn_default_48x64.mp4 joins the grid by its name"));
    EXPECT_THAT(ran.output, HasSubstr("fav2"));
    const auto grid = media::Clip::open("wan/comparison_grid.mp4");
    ASSERT_TRUE(grid) << grid.error().message;
    EXPECT_GE((*grid)->info().width, 3 * 64) << "three clips in one row";
}

}  // namespace
}  // namespace reelgrid::cli
