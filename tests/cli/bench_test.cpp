#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> attention(std::vector<std::string> options) {
    std::vector<std::string> words{"bench", "attention", "--num-repetitions", "2"};
    words.insert(words.end(), options.begin(), options.end());
    return words;
}

std::vector<std::string> kernelsOf(const json& document) {
    std::vector<std::string> names;
    for (const json& row : document["rows"]) names.push_back(row["kernel"]);
    return names;
}

TEST(BenchAttention, MeasuresEveryBackendThatDoctorKnows) {
    const ProgramRun run = runProgram(attention({"--shape", "1,2,70,64", "--json"}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_TRUE(document.is_object()) << run.output;
    std::vector<std::string> known;
    const json checkup = onlyDocument(runProgram({"doctor", "--json"}).output);
    for (const json& backend : checkup["backends"])
        if (backend["devices"][0] == "cpu" && !backend.value("by_name_only", false))
            known.push_back(backend["name"]);
    EXPECT_THAT(kernelsOf(document), testing::UnorderedElementsAreArray(known));
    EXPECT_EQ(document["rows"][0]["kernel"], "sdpa");
    EXPECT_EQ(document["device"], "cpu");
    EXPECT_GT(document["threads"], 0);
    EXPECT_EQ(document["versions"]["libtorch"], checkup["versions"]["libtorch"]);
    for (const json& row : document["rows"]) {
        EXPECT_EQ(row["used"], row["kernel"]);
        EXPECT_EQ(row["shape"], (json{1, 2, 70, 64}));
        EXPECT_EQ(row["dtype"], "bf16");
        EXPECT_GT(row["ms_p50"], 0);
        EXPECT_GE(row["ms_p95"], row["ms_p50"]);
        EXPECT_GT(row["ms_kernel_p50"], 0);
        EXPECT_LE(row["ms_kernel_p50"], row["ms_p50"]);
        EXPECT_EQ(row["flop"], 4 * 2 * 70 * 70 * 64);
        EXPECT_NEAR(row["gflops"].get<double>(), 4 * 2 * 70 * 70 * 64 / row["ms_p50"].get<double>() / 1e6,
                    1e-6);
        EXPECT_TRUE(row["cosine"].is_number() && row["l1"].is_number() && row["rmse"].is_number()) << row;
    }
}

TEST(BenchAttention, TakesTheOldSpellingsAndCountsCausalPairs) {
    const ProgramRun run = runProgram(attention(
        {"--kernel", "fav2", "-metric", "throughput", "-causal", "--shape", "1,1,100,64", "--json"}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(document["metric"], "throughput");
    EXPECT_THAT(kernelsOf(document), testing::ElementsAre("sdpa", "fav2"));
    for (const json& row : document["rows"]) {
        EXPECT_EQ(row["causal"], true);
        EXPECT_EQ(row["flop"], 4 * 64 * 5050);
        EXPECT_GE(row["cosine"], 0.999);
    }
}

TEST(BenchAttention, CrossesShapesAndTypes) {
    const ProgramRun run =
        runProgram(attention({"--kernel", "fav2,fav3", "--dtype", "fp32,torch.float16", "--shape",
                              "1,1,30,64", "--shape", "1,2,20,40,50", "--json"}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    const json rows = onlyDocument(run.output)["rows"];
    ASSERT_EQ(rows.size(), 12U);
    EXPECT_EQ(rows[0]["dtype"], "fp32");
    EXPECT_EQ(rows[3]["dtype"], "fp16");
    EXPECT_EQ(rows[11]["shape"], (json{1, 2, 20, 40}));
    EXPECT_EQ(rows[11]["keys"], 50);
    EXPECT_EQ(rows[11]["kernel"], "fav3");
}

TEST(BenchAttention, SaysWhatRanInsteadAndWhy) {
    const ProgramRun run = runProgram(attention({"--kernel", "sagev1", "--shape", "1,1,30,300", "--json"}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    const json row = onlyDocument(run.output)["rows"][1];
    EXPECT_EQ(row["kernel"], "sagev1");
    EXPECT_EQ(row["used"], "sdpa");
    EXPECT_THAT(row["why"].get<std::string>(), HasSubstr("head dim 300"));
    EXPECT_THAT(runProgram(attention({"--kernel", "sagev1", "--shape", "1,1,30,300"})).output,
                HasSubstr("sdpa ran: sagev1: head dim 300"));
}

TEST(BenchAttention, PrintsAlignedLinesForPeople) {
    const ProgramRun run = runProgram(attention({"--kernel", "fav2", "--shape", "1,1,30,64"}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    std::vector<std::string> lines;
    std::istringstream text(run.output);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 5U) << run.output;  // machine, inputs, titles, sdpa, fav2
    EXPECT_THAT(lines[0], HasSubstr("threads"));
    EXPECT_EQ(lines[1],
              "normal inputs, seed 42; errors against float64 on up to 64 query rows of every head");
    EXPECT_EQ(lines[3].find("sdpa"), lines[2].find("kernel"));
    EXPECT_EQ(lines[4].find("fav2"), lines[2].find("kernel"));
    EXPECT_EQ(lines[3].size(), lines[4].size());
}

TEST(BenchAttention, DrawsTheSameInputsForASeed) {
    const auto errorOf = [](const std::string& seed, const std::string& distribution) {
        const ProgramRun run = runProgram(attention({"--kernel", "fav2", "--shape", "1,1,64,64", "--seed",
                                                     seed, "--distribution", distribution, "--json"}));
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        const json document = onlyDocument(run.output);
        EXPECT_EQ(document["inputs"], distribution);
        return document["rows"][1]["rmse"].get<double>();
    };
    EXPECT_EQ(errorOf("7", "normal"), errorOf("7", "normal"));
    EXPECT_NE(errorOf("7", "normal"), errorOf("8", "normal"));
    EXPECT_NE(errorOf("7", "normal"), errorOf("7", "sink"));
}

TEST(BenchAttention, LeavesKeysUnsmoothedOnDemand) {
    const ProgramRun run = runProgram(attention({"--kernel", "sagev1,fav2", "-no_k_smooth", "--tensor_layout",
                                                 "HND", "--shape", "1,2,70,64", "--json"}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(document["layout"], "HND");
    EXPECT_EQ(document["rows"][1]["k_smooth"], false);
    EXPECT_FALSE(document["rows"][2].contains("k_smooth")) << "fav2 never smooths";
}

TEST(BenchAttention, TakesAModelsShapeAndSharedKeyHeads) {
    const ProgramRun run = runProgram(attention(
        {"--kernel", "fav2", "--shape", "animatediff-sd15-temporal", "--shape", "1,4/2,30,64", "--json"}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    const json rows = onlyDocument(run.output)["rows"];
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0]["preset"], "animatediff-sd15-temporal");
    EXPECT_EQ(rows[0]["shape"], (json{4096, 8, 16, 40}));
    EXPECT_EQ(rows[3]["kv_heads"], 2);
    EXPECT_GE(rows[3]["cosine"], 0.999);
}

TEST(BenchAttention, EndToEndLeavesTheKernelsOwnTimesOut) {
    const auto titles = [](std::vector<std::string> options) {
        options.insert(options.end(), {"--kernel", "fav2", "--shape", "1,1,64,64"});
        const ProgramRun run = runProgram(attention(options));
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        return run.output;
    };
    EXPECT_THAT(titles({}), HasSubstr("kernel ms"));
    EXPECT_THAT(titles({"--e2e"}), Not(HasSubstr("kernel ms")));
    EXPECT_THAT(titles({"-metric", "throughput"}), HasSubstr("kernel alone"));
    EXPECT_THAT(titles({"-metric", "throughput", "--e2e"}), Not(HasSubstr("kernel alone")));
}

TEST(BenchAttention, PrintsEachKernelUnderTheRoofs) {
    const ProgramRun run =
        runProgram(attention({"--kernel", "sagev1", "--shape", "1,1,64,64", "--roofline"}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("GB/s"));
    EXPECT_THAT(run.output, HasSubstr("bound by"));
    EXPECT_THAT(run.output, HasSubstr(" 32.0  "));  // sdpa's operations a byte
    EXPECT_THAT(run.output, HasSubstr(" 42.7  "));  // with Q and K as bytes
}

std::string readAll(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(BenchAttention, WritesAFileForEachEnding) {
    const TestFolder folder;
    std::vector<std::string> options{"--kernel", "fav2,sla", "--shape", "1,1,64,64", "--shape", "1,2,70,40"};
    for (const char* name : {"a.json", "a.csv", "a.svg", "a.png"})
        options.insert(options.end(), {"-o", folder.file(name)});
    const ProgramRun run = runProgram(attention(options));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_EQ(onlyDocument(readAll(folder.file("a.json")))["rows"].size(), 6U);
    const std::string csv = readAll(folder.file("a.csv"));
    EXPECT_THAT(csv, testing::StartsWith("INPUT_IDX,CALL_IDX,"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
    const std::string svg = readAll(folder.file("a.svg"));
    EXPECT_THAT(svg, testing::StartsWith("<svg xmlns="));
    EXPECT_THAT(svg, HasSubstr("throughput (TFLOPS)"));
    EXPECT_THAT(svg, HasSubstr("1,2,70,40 bf16"));
    EXPECT_THAT(svg, HasSubstr("roofline"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(readAll(folder.file("a.png")), testing::StartsWith("\x89PNG\r\n"));
    const auto entries = std::filesystem::directory_iterator(folder.path());
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 4);
}

const std::string kBenchedCaptures = REELGRID_SOURCE_DIR "/tests/fixtures/pt/upstream-captures";

json rowsOfCaptures(std::vector<std::string> options) {
    options.insert(options.end(), {"--input_dir", kBenchedCaptures, "--kernel", "fav2", "--json"});
    const ProgramRun run = runProgram(attention(options));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    return onlyDocument(run.output).value("rows", json::array());
}

TEST(BenchAttention, ReplaysSavedCallsInTheirOrderAsTheyWere) {
    const json rows = rowsOfCaptures({});
    ASSERT_EQ(rows.size(), 6U);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i]["input_idx"], i / 2);
        EXPECT_EQ(rows[i]["call_idx"], (std::vector{0, 2, 10}[i / 2]));
        EXPECT_EQ(rows[i]["shape"], (json{1, 2, 6, 8}));
        EXPECT_EQ(rows[i]["keys"], 10);
        EXPECT_EQ(rows[i]["dtype"], "bf16");
        EXPECT_EQ(rows[i]["causal"], i / 2 == 1) << "call 2 says is_causal";
        EXPECT_GE(rows[i]["cosine"], 0.999) << "with its mask and scale";
    }
}

TEST(BenchAttention, TakesSomeOfTheSavedCallsAndOtherTypes) {
    const json sampled = rowsOfCaptures({"--sample_rate", "2"});
    ASSERT_EQ(sampled.size(), 4U);
    EXPECT_EQ(sampled[2]["call_idx"], 10);
    EXPECT_EQ(sampled[2]["input_idx"], 1);
    const json first = rowsOfCaptures({"--max_inputs", "1", "--dtype", "fp32,fp16", "--causal"});
    ASSERT_EQ(first.size(), 4U);
    EXPECT_EQ(first[0]["dtype"], "fp32");
    EXPECT_EQ(first[3]["dtype"], "fp16");
    EXPECT_EQ(first[3]["causal"], true);
    // The other way round 6 query heads of 2 tokens meet 10 key heads.
    const ProgramRun turned =
        runProgram(attention({"--input_dir", kBenchedCaptures, "--tensor_layout", "NHD"}));
    EXPECT_EQ(turned.exitCode, 1);
    EXPECT_THAT(turned.errors, HasSubstr("fav2_input_000000.pt"));
}

TEST(BenchAttention, ABrokenCaptureIsNamedBeforeAnythingIsMeasured) {
    const TestFolder folder;
    std::filesystem::copy(kBenchedCaptures, folder.path());
    std::ofstream(folder.file("fav2_input_11.pt")) << "no capture";
    const ProgramRun run =
        runProgram(attention({"--input-dir", folder.path().string(), "-o", folder.file("out.csv")}));
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr("fav2_input_11.pt"));
    EXPECT_EQ(run.output, "");
    EXPECT_FALSE(std::filesystem::exists(folder.file("out.csv")));
}

TEST(BenchAttention, RefusesAGpuThatIsNotThere) {
    const ProgramRun run =
        runProgram(attention({"--device", "cuda"}), "", {{"REELGRID_CUDA_DRIVER", "/nonexistent"}});
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_EQ(run.errors, "reelgrid-cli: --device cuda:0: no NVIDIA driver (/nonexistent was not found)\n");
    EXPECT_EQ(run.output, "");
}

TEST(BenchAttention, EachMetricHasItsColumn) {
    for (const auto& [metric, title] : {std::pair{"time", "time (ms)"},
                                        {"throughput", "throughput (TFLOPS)"},
                                        {"bandwidth", "bandwidth (GB/s)"},
                                        {"arithmetic_intensity", "arithmetic intensity (FLOP/byte)"}}) {
        const ProgramRun run =
            runProgram(attention({"--kernel", "fav2", "--shape", "1,1,64,64", "--metric", metric}));
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        EXPECT_THAT(run.output, HasSubstr(title));
    }
    // 4·N²·D over 4·N·D bf16 values.
    EXPECT_THAT(runProgram(attention({"--kernel", "fav2", "--shape", "1,1,64,64", "--metric",
                                      "arithmetic_intensity"}))
                    .output,
                HasSubstr(" 32.0\n"));
}

TEST(BenchAttention, WritesTheDocumentBesideTheTable) {
    const TestFolder folder;
    const ProgramRun run = runProgram(
        attention({"--kernel", "fav2", "--shape", "1,1,30,64", "-o", folder.file("new/bench.json")}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("GFLOP/s"));
    std::ifstream file(folder.file("new/bench.json"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(onlyDocument(text)["rows"].size(), 2U) << text;
    const auto entries = std::filesystem::directory_iterator(folder.path() / "new");
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(BenchAttention, MeasuresProcessorTime) {
    const ProgramRun run =
        runProgram(attention({"--kernel", "fav2", "--shape", "1,2,400,64", "--cpu-time", "--json"}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(document["clock"], "processor");
    EXPECT_TRUE(document["rows"][1]["ms_kernel_p50"].is_null());  // only known in wall time
}

TEST(BenchAttention, RunsOnTheForcedInstructionSet) {
    const ProgramRun run = runProgram(attention({"--kernel", "fav2", "--shape", "1,1,30,64", "--json"}), "",
                                      {{"REELGRID_CPU", "scalar"}});
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(document["instruction_set"], "scalar");
    EXPECT_THAT(document["peak_gflops"], IsEmpty());  // not known for it
    const ProgramRun refused = runProgram(attention({"--kernel", "fav2"}), "", {{"REELGRID_CPU", "sse9"}});
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_THAT(refused.errors, HasSubstr("REELGRID_CPU=sse9"));
}

}  // namespace
}  // namespace reelgrid::cli
