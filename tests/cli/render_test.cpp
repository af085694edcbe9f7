#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/sha256.h"
#include "core/media/clip.h"
#include "core/media/rgb.h"
#include "core/protocol/result_paths.h"
#include "core/protocol/worker_message.h"
#include "core/session/session.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const std::vector<std::string> kTiny{
    "--height", "48", "--width", "64", "--num_frames", "5", "--num_inference_steps", "2"};

std::vector<std::string> tiny(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), kTiny.begin(), kTiny.end());
    return arguments;
}

TEST(Render, WritesTheClipAndItsCompanions) {
    const TestFolder folder;
    const fs::path clip = folder.path() / "clip.mp4";
    const ProgramRun run = runProgram(tiny({"render", "--output", clip, "--json"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_TRUE(document.is_object()) << run.output;
    EXPECT_EQ(document["clip"], clip.string());
    EXPECT_EQ(document["timing"].size(), 1u);
    EXPECT_EQ(document["timing"][0]["steps"].size(), 2u);
    EXPECT_EQ(document["metrics"]["frames"], 5);
    EXPECT_EQ(document["manifest"]["seed"], 42);
    EXPECT_FALSE(document["manifest"]["attention"].empty());
    const auto opened = media::Clip::open(clip);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ((*opened)->info().frameCount(), 5);
    for (const char* name :
         {protocol::kTimingFile, protocol::kManifestFile, protocol::kMetricsFile, protocol::kLatentsFile})
        EXPECT_TRUE(fs::exists(protocol::resultFolderOf(clip) / name)) << name;
}

TEST(Render, KeepsItsFramesForWhatIsCompared) {
    const TestFolder folder;
    for (const char* type : {"sdpa", "fav2"}) {
        const fs::path clip = folder.path() / (std::string(type) + ".mp4");
        const ProgramRun run = runProgram(
            tiny({"render", "--attention_type", type, "--dtype", "fp32", "--output", clip, "--json"}));
        ASSERT_EQ(run.exitCode, 0) << run.errors;
        const json manifest = onlyDocument(run.output).at("manifest");
        const fs::path frames = protocol::resultFolderOf(clip) / protocol::kFramesFile;
        ASSERT_TRUE(fs::exists(frames));
        EXPECT_EQ(manifest.at("kept_frames").at("bytes"), fs::file_size(frames));
        EXPECT_EQ(sha256Hex(media::readRgb(frames).value().pixels),
                  manifest.at("frames_sha256").get<std::string>())
            << "the frames as they were computed";
    }
    const auto psnr = [&] {
        const ProgramRun run = runProgram(
            {"metrics", folder.file("fav2.mp4"), "--reference", folder.file("sdpa.mp4"), "--json"});
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        const json mean = onlyDocument(run.output).at("psnr").at("mean");
        return std::pair(mean.is_number() ? mean.get<double>() : 1000.0, run.errors);
    };
    fs::copy_file(folder.file("fav2.mp4"), folder.file("bare.mp4"));
    const ProgramRun mixed = runProgram({"metrics", folder.file("bare.mp4"), folder.file("sdpa.mp4")});
    EXPECT_THAT(mixed.errors, HasSubstr("bare.mp4: measured as it is encoded, others by the frames that"));
    const ProgramRun alike = runProgram({"metrics", folder.file("fav2.mp4"), folder.file("sdpa.mp4")});
    EXPECT_EQ(alike.errors.find("measured as it is encoded"), std::string::npos) << alike.errors;
    const ProgramRun beside =
        runProgram({"metrics", folder.file("fav2.mp4"), "--reference", folder.file("bare.mp4")});
    EXPECT_THAT(beside.errors, HasSubstr("the encoded clip is measured, not its kept frames: "));
    const double exact = psnr().first;
    EXPECT_GT(exact, 60) << "the kernel's error, not the encoder's";
    const fs::path frames = protocol::resultFolderOf(folder.file("fav2.mp4")) / protocol::kFramesFile;
    fs::resize_file(frames, fs::file_size(frames) - 1);
    const auto [decoded, said] = psnr();
    EXPECT_LT(decoded, exact);
    EXPECT_THAT(said, HasSubstr("frames.mkv: it has "));
}

TEST(Render, KeepsNoFramesWhereNoneAreWanted) {
    const TestFolder folder;
    const fs::path clip = folder.path() / "clip.mp4";
    for (const char* keep : {"lossless", "off"}) {
        const ProgramRun run = runProgram(tiny({"render", "--output", clip, "--keep-frames", keep}));
        ASSERT_EQ(run.exitCode, 0) << run.errors;
        EXPECT_EQ(fs::exists(protocol::resultFolderOf(clip) / protocol::kFramesFile),
                  std::string(keep) == "lossless");
        const ProgramRun grid =
            runProgram({"stitch", clip, clip, "--lossless", "--output", folder.file("grid.mkv")});
        EXPECT_EQ(grid.exitCode, 0) << grid.errors;
        EXPECT_EQ(grid.errors.find("clip.mp4: no frames were kept of it") == std::string::npos,
                  std::string(keep) == "lossless")
            << grid.errors;
    }
    const ProgramRun wrong = runProgram(tiny({"render", "--output", clip, "--keep-frames", "some"}));
    EXPECT_EQ(wrong.exitCode, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("--keep-frames some: lossless or off was needed"));
}

TEST(Render, NothingIsCompiledOnTheCpu) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram(tiny({"render", "--device", "cpu", "--compile", "--output", folder.file("clip.mp4")}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("note: --use-torch-compile: nothing is compiled on the CPU"));
}

TEST(Render, ARecordingOfStepsSaysWhereItIs) {
    const TestFolder folder;
    const ProgramRun run = runProgram(
        tiny({"render", "--device", "cpu", "--step-cache", "record", "--output", folder.file("clip.mp4")}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("note: --step-cache record: what changed from step to step is in " +
                                      folder.file("clip.files/timing.json") + " (changes); tune "));
}

TEST(Render, NamesTheClipAsRunWanDoes) {
    const TestFolder folder;
    const ProgramRun run = runProgram(
        tiny({"render", "--attention_type", "sagev1", "--benchmark_output_directory", folder.path()}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_EQ(run.output,
              folder.file("results/wan_result_t2v_ulysses1_ringNone_compileFalse_attn_sagev1_48x64.mp4\n"));
}

TEST(Compare, SaysThatSlaRanWithoutItsLinearBranch) {
    const TestFolder folder;
    const ProgramRun run = runProgram(
        tiny({"compare", "--types", "sdpa,sla", "--prompt", "a car", "--output-dir", folder.path()}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const std::string remark = "no proj_l for the linear branch: the sparse part alone";
    EXPECT_THAT(run.errors, HasSubstr("sla: self-attention with sla: " + remark));
    EXPECT_THAT(textOf(folder.path() / "report.html"),
                HasSubstr("<p class=\"note\">sla: self-attention with sla: " + remark));
}

TEST(Compare, MakesGridReportAndSessionAndReusesThemLater) {
    const TestFolder folder;
    const std::vector<std::string> command =
        tiny({"compare", "--types", "sdpa,fav2,sagev1", "--stitch", "--reuse", "--prompt", "a <b>red</b> car",
              "--output-dir", folder.path(), "--json"});
    const ProgramRun first = runProgram(command);
    ASSERT_EQ(first.exitCode, 0) << first.errors;
    const json document = onlyDocument(first.output);
    ASSERT_TRUE(document.is_object()) << first.output;
    ASSERT_EQ(document["results"].size(), 3u);
    for (const json& result : document["results"]) {
        EXPECT_FALSE(result["reused"]);
        EXPECT_EQ(result["used"], result["requested"]);
        const json& metrics = result["metrics"];
        const bool compared = metrics.contains("psnr") || metrics.contains("drift");
        EXPECT_EQ(compared, result["requested"] != "sdpa");
    }
    const auto grid = media::Clip::open(folder.path() / "comparison_grid.mp4");
    ASSERT_TRUE(grid) << grid.error().message;
    EXPECT_EQ((*grid)->info().frameCount(), 5);

    const std::string report = textOf(folder.path() / "report.html");
    EXPECT_THAT(report, HasSubstr("a &lt;b&gt;red&lt;/b&gt; car"));
    EXPECT_THAT(report, testing::Not(HasSubstr("<b>red")));
    EXPECT_THAT(report, testing::Not(HasSubstr("http"))) << "nothing from outside";
    EXPECT_THAT(report, HasSubstr("<svg"));
    EXPECT_THAT(report, HasSubstr("<dt id=\"backend-sagev1\">"));
    EXPECT_THAT(report, HasSubstr("<b>On the CPU:</b> P and V are bf16"));
    const auto session = session::loadSession(folder.path() / "session.json");
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_TRUE(session->outside.empty());
    ASSERT_EQ(session->session.clips.size(), 3u);
    EXPECT_EQ(session->session.clips[2].attentionType, "sagev1");

    for (const json& result : resultsIn(runProgram(command).output)) EXPECT_TRUE(result["reused"]);
    std::vector<std::string> otherSeed = command;
    otherSeed.insert(otherSeed.end(), {"--seed", "7"});
    for (const json& result : resultsIn(runProgram(otherSeed).output)) EXPECT_FALSE(result["reused"]);
}

TEST(Worker, CancelsWhatRunsAndWhatWaitsWhenItsInputEnds) {
    const TestFolder folder;
    protocol::RenderRequest request;
    request.prompt = "a red car";
    request.numInferenceSteps = 1000;
    std::string input;
    for (const char* id : {"a", "b"}) {
        request.output = folder.file(std::string(id) + ".mp4");
        input += toLine(protocol::WorkerCommand(protocol::RenderCommand{id, request})) + "\n";
    }
    input += toLine(protocol::WorkerCommand(protocol::CancelCommand{"b"})) + "\n";
    const ProgramRun run = runProgram({"worker"}, input);
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr(R"("id":"b","type":"cancelled")"));
    EXPECT_FALSE(fs::exists(folder.path() / "a.mp4"));
    EXPECT_FALSE(fs::exists(folder.path() / "b.mp4"));
}

}  // namespace
}  // namespace reelgrid::cli
