#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "kernels/backends/backend_list.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(Doctor, TellsWhatTheMachineCanRun) {
    const ProgramRun run = runProgram({"doctor", "--json"});
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_TRUE(document.is_object()) << run.output;
    for (const char* part : {"reelgrid", "libtorch", "ffmpeg"})
        EXPECT_FALSE(document["versions"][part].get<std::string>().empty()) << part;
    EXPECT_GT(document["cpu"]["threads"], 0);
    EXPECT_GT(document["memory"]["bytes"], 0);
    std::vector<std::string> backends;
    for (const json& backend : document["backends"]) backends.push_back(backend["name"]);
    EXPECT_THAT(backends, testing::IsSupersetOf({"sdpa", "fav2", "sagev1"}));
    EXPECT_TRUE(document["problems"].empty()) << document["problems"];
}

TEST(Doctor, SaysWhatEachBackendComputesAndWhereTheCpuDeviates) {
    const auto backends = onlyDocument(runProgram({"doctor", "--json"}).output)["backends"];
    ASSERT_EQ(backends.size(), kernels::backends().size());
    std::string text;
    for (std::istringstream words(runProgram({"doctor"}).output); words;) {
        std::string word;
        words >> word;
        text += word + " ";
    }
    for (std::size_t i = 0; i < backends.size(); ++i) {
        const kernels::BackendInfo& backend = kernels::backends()[i];
        EXPECT_EQ(backends[i]["description"], backend.description);
        EXPECT_EQ(backends[i]["cpu_deviation"], backend.cpu.deviation);
        EXPECT_THAT(text, testing::HasSubstr(std::string(backend.description)));
        EXPECT_THAT(text, testing::HasSubstr(std::string(backend.cpu.deviation)));
    }
}

TEST(Models, ListsTheDemoModel) {
    const json document = onlyDocument(runProgram({"models", "list", "--json"}).output);
    ASSERT_TRUE(document.is_array());
    ASSERT_FALSE(document.empty());
    EXPECT_EQ(document[0]["id"], "demo");
}

TEST(Models, ShowsComponentsAndDefaults) {
    const ProgramRun run = runProgram({"models", "show", "demo", "--json"});
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_TRUE(document.is_object());
    EXPECT_EQ(document["defaults"]["num_frames"], 33);
    EXPECT_EQ(document["defaults"]["num_inference_steps"], 20);
    bool transformer = false;
    for (const json& component : document["components"]) {
        if (component["name"] != "transformer") continue;
        transformer = true;
        EXPECT_GT(component["parameters"], 20'000'000);
        EXPECT_EQ(component["dtypes"], json::array({"BF16", "F32", "F8_E4M3"}));
    }
    EXPECT_TRUE(transformer);
}

TEST(Models, ShowReadsForPeopleToo) {
    const ProgramRun run = runProgram({"models", "show"});
    EXPECT_EQ(run.exitCode, 0);
    EXPECT_THAT(run.output, testing::HasSubstr("256×144"));
}

// The demo's clip is 9 x 9 x 16 tokens of 3 heads x 128 channels in 8 layers: 8 x 4 x 1296^2 x 384 operations
// of attention, and 1296 x (8 x (12 x 384^2 + 4 x 384 x 1536 + 4 x 512 x 384) + 2 x 384 x 4 x 32) others, a
// pass.
TEST(Progress, AnIntervalThatThereIsntIsSaidOnce) {
    const std::vector<std::string> bench{"bench",     "attention",         "--shape",
                                         "1,1,16,16", "--num-repetitions", "1"};
    for (const char* interval : {"49", "10001", "1e3", "", "-1"}) {
        const std::string errors = runProgram(bench, "", {{"REELGRID_PROGRESS_MS", interval}}).errors;
        EXPECT_THAT(errors, HasSubstr("note: REELGRID_PROGRESS_MS " + std::string(interval) +
                                      ": a whole number from 50 to 10000 was needed, 10000 is taken\n"));
        EXPECT_EQ(errors.find("REELGRID_PROGRESS_MS"), errors.rfind("REELGRID_PROGRESS_MS"));
    }
    EXPECT_THAT(runProgram(bench, "", {{"REELGRID_PROGRESS_MS", "50"}}).errors,
                Not(HasSubstr("REELGRID_PROGRESS_MS")));
}

TEST(Plan, IsWhatAPersonComputes) {
    const ProgramRun run = runProgram({"plan", "--gpus", "2", "--tflops", "1", "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json plan = onlyDocument(run.output);
    EXPECT_EQ(plan["tokens"], 1296);
    EXPECT_EQ(plan["attention_flops"], 20639121408.0);
    EXPECT_EQ(plan["other_flops"], 51088195584.0);
    ASSERT_EQ(plan["best"].size(), 2U);
    constexpr double kPass = 0.071727316992;
    EXPECT_NEAR(plan["best"][0]["step_seconds"], 2 * kPass, 1e-12);
    // Two passes at once, and predictions of 1296 x 64 fp32 values at 245 GB/s and 50 us.
    EXPECT_EQ(plan["best"][1]["cfg_parallel"], 2);
    EXPECT_NEAR(plan["best"][1]["step_seconds"], kPass + 331776 / 245e9 + 50e-6, 1e-12);
    ASSERT_EQ(plan["plans"].size(), 2U) << "3 heads aren't shared by 2 ranks";
    EXPECT_EQ(plan["plans"][1]["ring_degree"], 2);
    EXPECT_LE(plan["plans"][1]["memory_bytes"], plan["best"][0]["memory_bytes"]);
    EXPECT_THAT(plan["assumptions"].dump(), testing::HasSubstr("245 GB/s to another one of its host"));
    // Half of 8 layers' weights on each and room for two whole ones; a layer is gathered while one computes.
    const json shards = onlyDocument(
        runProgram({"plan", "--gpus", "2", "--tflops", "1", "--shard-weights", "--json"}).output);
    EXPECT_LT(shards["best"][1]["memory_bytes"], plan["best"][1]["memory_bytes"]);
    EXPECT_EQ(shards["best"][0]["memory_bytes"], plan["best"][0]["memory_bytes"]) << "one holds all";
    EXPECT_EQ(shards["best"][1]["weights_seconds"], 0);
    const ProgramRun table = runProgram({"plan", "--gpus", "3", "--tflops", "1"});
    EXPECT_THAT(table.output, testing::HasSubstr("1296 tokens, 3 heads, 8 layers, 2 passes a step"));
    EXPECT_THAT(runProgram({"plan", "--gpus", "1", "--tflops", "1", "--memory", "0.00001"}).output,
                testing::ContainsRegex("B  doesn't fit"));
    EXPECT_THAT(table.output, testing::HasSubstr("Assumed:\n  one card computes attention with 1"));
}

TEST(Plan, RecommendsWhatARenderTakesAndSaysWhatItLeavesOut) {
    const auto planOf = [](std::vector<std::string> more) {
        std::vector<std::string> words{"plan", "--gpus", "2", "--tflops", "1", "--json"};
        words.insert(words.end(), more.begin(), more.end());
        const ProgramRun run = runProgram(words);
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        return onlyDocument(run.output);
    };
    // int8 has no ring.
    const json int8 = planOf({"--linear", "int8"});
    ASSERT_EQ(int8["plans"].size(), 1U);
    EXPECT_EQ(int8["plans"][0]["cfg_parallel"], 2);
    const auto assumptions = [&](std::vector<std::string> more) {
        return planOf(std::move(more))["assumptions"].dump();
    };
    EXPECT_THAT(
        assumptions({"--step-cache", "0.3"}),
        testing::HasSubstr("every step is computed whole: how many steps --step-cache 0.3 leaves out"));
    EXPECT_THAT(assumptions({"--offload", "blocks"}),
                testing::HasSubstr("(--offload blocks) isn't in the step"));
    EXPECT_THAT(assumptions({}), Not(testing::HasSubstr("--step-cache")));
}

TEST(Plan, IsRefusedInOneLine) {
    const auto errorOf = [](std::vector<std::string> words, int code) {
        words.insert(words.begin(), "plan");
        const ProgramRun run = runProgram(words);
        EXPECT_EQ(run.exitCode, code) << run.errors;
        EXPECT_THAT(run.output, testing::IsEmpty());
        return run.errors;
    };
    EXPECT_THAT(errorOf({"--gpus", "2"}, 2),
                testing::HasSubstr("--from CLIP, which one rank rendered, or --tflops X"));
    EXPECT_THAT(errorOf({"--gpus", "2", "--tflops", "100", "--from", "a.mp4"}, 2),
                testing::HasSubstr(
                    "--tflops 100: --from a.mp4 says what one card reaches; one of the two was needed"));
    EXPECT_THAT(errorOf({"--gpus", "2", "--tflops", "1", "--linear", "int8", "--guidance-scale", "1"}, 2),
                testing::HasSubstr("--gpus 2: --ring-degree 2: --linear int8 scales tokens"));
    EXPECT_THAT(errorOf({"--gpus", "2", "--tflops", "1", "--offload", "blocks", "--shard-weights"}, 2),
                testing::HasSubstr("--shard-weights: --offload blocks keeps all blocks in host memory"));
    EXPECT_THAT(
        errorOf({"--gpus", "1", "--tflops", "1", "--shard-weights"}, 2),
        testing::HasSubstr("--shard-weights: one GPU holds all weights; --gpus 2 or more was needed"));
    EXPECT_THAT(errorOf({"--gpus", "65", "--tflops", "1"}, 2), testing::HasSubstr("65"));
    EXPECT_THAT(errorOf({"--from", "/none/a.mp4"}, 2),
                testing::HasSubstr("a clip with its manifest and its times"));
    EXPECT_THAT(errorOf({"--tflops", "1", "--model", "demo-sd35"}, 2),
                testing::HasSubstr("renders on one rank alone"));
    EXPECT_THAT(errorOf({"--tflops", "1", "--gpus", "5", "--attention-type", "sla"}, 2),
                testing::HasSubstr("can't be shared by as many without a ring"));
}

}  // namespace
}  // namespace reelgrid::cli
