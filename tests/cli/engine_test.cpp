#include <gmock/gmock.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "tests/cli/program.h"
#include "tests/cli/small_clip.h"
#include "tests/hub/test_hub.h"
#include "tests/models/wan/variant_model.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const std::string kTinyWan = std::string(REELGRID_SOURCE_DIR) + "/tests/fixtures/wan/tiny-pipeline";

std::vector<std::string> withDiffusers(const std::string& model, const std::string& folder,
                                       std::vector<std::string> more = {}) {
    std::vector<std::string> words{"compare", "--model",       model,       "--types",
                                   "sdpa",    "--prompt",      "a red car", "--output-dir",
                                   folder,    "--with-engine", "diffusers"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

const std::string kPicture = (models::wan::kVariants / "first.png").string();
const std::vector<std::string> kSmallClip{
    "--width", "64",       "--height", "64",      "--num-frames", "5",     "--num-inference-steps",
    "3",       "--device", "cpu",      "--dtype", "fp32",         "--json"};

/// A program in Python's place that prints what it is told.
std::string pretendedPython(const TestFolder& folder, const std::string& prints) {
    const fs::path program = folder.path() / "python";
    writeFile(program, "#!/bin/sh\necho '" + prints + "'\n").value();
    fs::permissions(program, fs::perms::owner_all);
    return program.string();
}

TEST(Engine, IsRefusedInOneLineBeforeAnythingIsRendered) {
    const TestFolder folder;
    const auto refused = [&](const std::string& python, const std::string& model,
                             const std::vector<std::string>& more = {}) {
        const ProgramRun run =
            runProgram(withDiffusers(model, folder.file("out"), more), "", {{"REELGRID_PYTHON", python}});
        EXPECT_EQ(run.exitCode, 2) << run.errors;
        EXPECT_THAT(run.output, testing::IsEmpty());
        EXPECT_EQ(std::ranges::count(run.errors, '\n'), 1) << run.errors;
        EXPECT_FALSE(fs::exists(folder.path() / "out")) << run.errors;
        return run.errors;
    };
    EXPECT_THAT(refused("/nowhere/python3", kTinyWan),
                AllOf(HasSubstr("REELGRID_PYTHON"),
                      HasSubstr("REELGRID_PYTHON=/nowhere/python3: a program was needed")));
    const std::string without = pretendedPython(
        folder, R"({"diffusers": null, "torch": "2.11.0", "transformers": null, "safetensors": "1"})");
    EXPECT_THAT(refused(without, kTinyWan), HasSubstr(without + " lacks diffusers, transformers"));
    EXPECT_THAT(refused(pretendedPython(folder, "hello"), kTinyWan), HasSubstr("didn't say what it has"));

    const std::string whole = pretendedPython(folder, R"({"diffusers": "0.40.0"})");
    EXPECT_THAT(refused(whole, "demo-animatediff", {"--loop"}), HasSubstr("--loop isn't handed over"));
    EXPECT_THAT(refused(whole, "demo-turbo", {"--num-frames", "5"}), HasSubstr("it has no RCMScheduler"));
    EXPECT_THAT(refused(whole, "demo-sd35"), HasSubstr("--num-frames 1 was needed"));
    EXPECT_THAT(refused(whole, "demo-sd35", {"--num-frames", "1"}),
                HasSubstr("--temporal-alpha 0 was needed"));
    EXPECT_THAT(refused(whole, "demo-animatediff", {"--temporal-alpha", "0.5"}),
                HasSubstr("--temporal-alpha isn't handed over"));
    EXPECT_THAT(refused(whole, kTinyWan, {"--vae-tiling", "on"}),
                HasSubstr("--vae-tiling on isn't handed over to WanPipeline; none was needed"));
    EXPECT_THAT(refused(whole, kTinyWan, {"--scheduler", "rcm"}), HasSubstr("it has no --scheduler rcm"));
}

/// Before a worker is started: there is none.
TEST(Engine, ADecodeThatFitsInTilesAloneIsRefusedBeforeAnythingIsRendered) {
    // A whole decode of this size takes 230 GB.
    constexpr double kEnough = 200e9;
    struct sysinfo memory {};
    ASSERT_EQ(sysinfo(&memory), 0);
    if (double(memory.totalram) * memory.mem_unit > kEnough) GTEST_SKIP() << "the whole could fit here";
    const TestFolder folder;
    const ProgramRun run =
        runProgram(withDiffusers(kTinyWan, folder.file("out"),
                                 {"--width", "16384", "--height", "16384", "--num-frames", "5", "--device",
                                  "cpu", "--dtype", "fp32"}),
                   "",
                   {{"REELGRID_PYTHON", pretendedPython(folder, R"({"diffusers": "0.40.0"})")},
                    {"REELGRID_WORKER", "/nowhere/worker"}});
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr("--with-engine diffusers: the decode doesn't fit in memory but in "
                                      "tiles, and diffusers 0.40.0 decodes whole"));
    EXPECT_THAT(run.errors, testing::Not(HasSubstr("/nowhere/worker")));
    EXPECT_FALSE(fs::exists(folder.path() / "out/results"));
}

/// What Wan 2.2 TI2V-5B's model_index.json calls itself is a pipeline that takes no picture.
TEST(Engine, IsAskedForThePipelineThatTakesThePicture) {
    const TestFolder folder;
    const models::wan::VariantModel model("ti2v");
    const fs::path program = folder.path() / "python", job = folder.path() / "job.json";
    writeFile(program, "#!/bin/sh\ncase $1 in\n-c) echo '{\"diffusers\": \"0.40.0\"}';;\n*) cp \"$2\" '" +
                           job.string() + "'; echo '{\"error\": \"enough\"}'; exit 1;;\nesac\n")
        .value();
    fs::permissions(program, fs::perms::owner_all);
    const auto jobWith = [&](std::vector<std::string> more) {
        more.insert(more.end(), kSmallClip.begin(), kSmallClip.end());
        const ProgramRun run =
            runProgram(withDiffusers(model.folder().string(), folder.file(more.at(1)), more), "",
                       {{"REELGRID_PYTHON", program.string()}});
        EXPECT_EQ(run.exitCode, 1) << run.errors;
        return json::parse(textOf(job));
    };
    const json withPicture =
        jobWith({"--task", "i2v", "--img-file-path", kPicture, "--picture-fit", "stretch"});
    EXPECT_EQ(withPicture["class"], "WanImageToVideoPipeline");
    EXPECT_THAT(withPicture["pictures"].value("image", ""), testing::EndsWith("img_file_path.ppm"));
    const json without = jobWith({"--task", "t2v"});
    EXPECT_EQ(without["class"], "WanPipeline");
    EXPECT_TRUE(without["pictures"].empty());
}

TEST(Engine, ThatFailsCostsItsOwnClipAlone) {
    const TestFolder folder;
    // Says that it has what is needed, and then ends as a script does that fails.
    const fs::path program = folder.path() / "python";
    writeFile(program,
              "#!/bin/sh\ncase $1 in\n-c) echo '{\"diffusers\": \"0.40.0\"}';;\n"
              "*) echo '{\"error\": \"CUDA went away\"}'; exit 1;;\nesac\n")
        .value();
    fs::permissions(program, fs::perms::owner_all);
    const ProgramRun run =
        runProgram(withDiffusers(kTinyWan, folder.file("out"),
                                 {"--width", "64", "--height", "48", "--num-frames", "5",
                                  "--num-inference-steps", "2", "--device", "cpu", "--json"}),
                   "", {{"REELGRID_PYTHON", program.string()}});
    EXPECT_EQ(run.exitCode, 1) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("diffusers 0.40.0: CUDA went away"));
    const json document = onlyDocument(run.output);
    ASSERT_EQ(document["results"].size(), 2U);
    EXPECT_FALSE(document["results"][0].contains("error"));
    EXPECT_EQ(document["results"][1]["requested"], "diffusers");
    EXPECT_THAT(document["results"][1]["error"]["message"], HasSubstr("CUDA went away"));
    EXPECT_THAT(textOf(folder.path() / "out/report.html"), HasSubstr("diffusers: diffusers 0.40.0: CUDA"));
}

TEST(Engine, DiffusersMakesTheSameClipFromTheSameNoise) {
    const TestFolder folder;
    const ProgramRun run = runProgram(
        withDiffusers(kTinyWan, folder.file("out"),
                      {"--width", "64", "--height", "48", "--num-frames", "5", "--num-inference-steps", "3",
                       "--device", "cpu", "--dtype", "fp32", "--stitch", "--json"}));
    if (run.exitCode == 2 && run.errors.find("a Python with diffusers was needed") != std::string::npos)
        GTEST_SKIP() << run.errors;
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_EQ(document["results"].size(), 2U);
    const json& theirs = document["results"][1];
    EXPECT_THAT(theirs["label"].get<std::string>(), testing::StartsWith("diffusers 0."));
    EXPECT_THAT(theirs["clip"].get<std::string>(), HasSubstr("_attn_diffusers_"));
    const json& drift = theirs["metrics"]["drift"];
    EXPECT_LT(drift["latent_error"].get<double>(), 1e-4) << drift;
    EXPECT_GT(drift["psnr"]["mean"].get<double>(), 60) << drift;
    EXPECT_EQ(drift["measured_on"], "lossless frames");
    EXPECT_TRUE(theirs["manifest"]["versions"].contains("diffusers"));
    EXPECT_EQ(theirs["timing"][0]["steps"].size(), 3U);
    EXPECT_TRUE(fs::exists(folder.path() / "out/comparison_grid.mp4"));
    const std::string report = textOf(folder.path() / "out/report.html");
    EXPECT_THAT(report,
                AllOf(HasSubstr("Other engines"), HasSubstr("latents apart"), HasSubstr("transformers ")));
    // The sdpa clip stays the reference.
    EXPECT_FALSE(document["results"][0]["metrics"].contains("drift"));
}

TEST(ModelsDownload, SaysWhatTheRepositoryLacksOfWhatItsIndexNames) {
    const TestFolder folder;
    const hub::TestHub server;
    const std::string id = "owner/lacking";
    const fs::path served = server.folder() / "served" / id;
    fs::create_directories(served.parent_path());
    fs::copy(kTinyWan, served, fs::copy_options::recursive);
    const std::map<std::string, std::string> environment{{"HF_ENDPOINT", server.access().endpoint},
                                                         {"HF_HUB_CACHE", server.access().cache.string()},
                                                         {"HF_HUB_OFFLINE", "0"}};
    fs::rename(served / "vae/diffusion_pytorch_model.safetensors", server.folder() / "vae");
    const ProgramRun lacking = runProgram({"models", "download", id}, "", environment);
    EXPECT_EQ(lacking.exitCode, 1);
    EXPECT_THAT(lacking.output, testing::IsEmpty());
    EXPECT_THAT(lacking.errors,
                HasSubstr("model owner/lacking: its repository lacks what is needed of vae, which"));
    fs::rename(server.folder() / "vae", served / "vae/diffusion_pytorch_model.safetensors");
    const ProgramRun whole = runProgram({"models", "download", id}, "", environment);
    EXPECT_EQ(whole.exitCode, 0) << whole.errors;
    const ProgramRun outside =
        runProgram({"models", "download", id, "--revision", "../../x"}, "", environment);
    EXPECT_EQ(outside.exitCode, 2);
    EXPECT_THAT(outside.errors, HasSubstr("--revision ../../x: a branch, tag or commit was needed"));
    EXPECT_FALSE(fs::exists(server.access().cache / "x"));
}

TEST(MetricWeights, OfClipAreDownloadedByTheirIdAndThenFound) {
    const TestFolder folder;
    const hub::TestHub server;
    const std::string id = "openai/clip-vit-base-patch32";
    const fs::path served = server.folder() / "served" / id, fixtures = fs::path(kTinyWan) / "../..";
    fs::create_directories(served);
    fs::copy_file(fixtures / "perception/clip/config.json", served / "config.json");
    fs::copy_file(fixtures / "perception/README.md", served / "README.md");
    fs::copy_file(fixtures / "perception/alex.pth", served / "pytorch_model.bin");
    for (const char* file : {"vocab.json", "merges.txt"})
        fs::copy_file(fixtures / "clip/slow" / file, served / file);
    const std::map<std::string, std::string> environment{{"HF_ENDPOINT", server.access().endpoint},
                                                         {"HF_HUB_CACHE", server.access().cache.string()}};
    const ProgramRun run = runProgram({"models", "download", id, "--json"}, "", environment);
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const fs::path snapshot = onlyDocument(run.output)["folder"].get<std::string>();
    for (const char* file : {"config.json", "pytorch_model.bin", "vocab.json", "merges.txt"})
        EXPECT_TRUE(fs::exists(snapshot / file)) << file;
    EXPECT_FALSE(fs::exists(snapshot / "README.md"));
    // Found without being named: what it lacks is said of the file in the cache.
    writeSmallClip(folder.path() / "a.mp4", 3, 40);
    const ProgramRun measured = runProgram(
        {"metrics", folder.file("a.mp4"), "--metrics", "clip", "--prompt", "a square"}, "", environment);
    EXPECT_EQ(measured.exitCode, 1);
    EXPECT_THAT(measured.errors,
                AllOf(HasSubstr((snapshot / "pytorch_model.bin").string()), HasSubstr("is missing")));
}

}  // namespace
}  // namespace reelgrid::cli
