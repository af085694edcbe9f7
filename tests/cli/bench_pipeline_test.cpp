#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class BenchPipeline : public testing::Test {
  protected:
    TestFolder m_folder;

    /// Renders of the tiny model, with their temporary files in the test's folder.
    ProgramRun run(std::vector<std::string> options) const {
        std::vector<std::string> words{"bench",
                                       "pipeline",
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
                                       "3",
                                       "--device",
                                       "cpu",
                                       "--num-repetitions",
                                       "2"};
        words.insert(words.end(), options.begin(), options.end());
        return runProgram(words, "", {{"TMPDIR", m_folder.path().string()}});
    }
    [[nodiscard]] std::string baseline() const { return m_folder.file("baseline.json"); }
    /// Measures, and changes what was written.
    void writeBaseline(const std::function<void(json&)>& change) const {
        ASSERT_EQ(run({"-o", baseline()}).exitCode, 0);
        std::ifstream file(baseline());
        json document = json::parse(file);
        change(document);
        std::ofstream(baseline()) << document;
    }
    /// As if everything had taken so many times as long then.
    static void scale(json& document, double factor) {
        for (json& stage : document["stages"]) {
            for (json& seconds : stage["seconds"]) seconds = seconds.get<double>() * factor;
            for (const char* of : {"s_p50", "s_min", "s_max"}) stage[of] = stage[of].get<double>() * factor;
        }
    }
};

TEST_F(BenchPipeline, TimesEveryStageInEachRepetitionAndLeavesNoFile) {
    const ProgramRun measured = run({"--json"});
    ASSERT_EQ(measured.exitCode, 0) << measured.errors;
    const json document = onlyDocument(measured.output);
    std::map<std::string, std::size_t> times;
    for (const json& stage : document["stages"]) {
        times[stage["stage"]] = stage["seconds"].size();
        EXPECT_GT(stage["s_p50"], 0);
    }
    EXPECT_EQ(times, (std::map<std::string, std::size_t>{{"load", 1},
                                                         {"text", 2},
                                                         {"denoise", 2},
                                                         {"step", 2},
                                                         {"save", 2},
                                                         {"decode", 2},
                                                         {"metrics", 2},
                                                         {"encode", 2},
                                                         {"other", 2},
                                                         {"pipe_time", 2}}));
    EXPECT_EQ(document["steps"].size(), 3U);
    EXPECT_EQ(document["settings"]["vae_tiling"], "off") << "as it ran";
    EXPECT_FALSE(document.contains("comparison"));
    EXPECT_TRUE(std::filesystem::is_empty(m_folder.path()));
}

TEST_F(BenchPipeline, LoadsEachTimeWhenAsked) {
    const json document = onlyDocument(run({"--reload", "--warmup", "0", "--json"}).output);
    EXPECT_EQ(document["stages"][0]["stage"], "load");
    EXPECT_EQ(document["stages"][0]["seconds"].size(), 2U);
}

TEST_F(BenchPipeline, EndsWith1WhereItTookMuchLongerThanTheBaseline) {
    writeBaseline([](json& document) { scale(document, 0.01); });
    const ProgramRun slower = run({"--baseline", baseline(), "--max-loss", "50%", "--json"});
    EXPECT_EQ(slower.exitCode, 1);
    EXPECT_THAT(slower.errors, HasSubstr("slower than --baseline"));
    EXPECT_THAT(slower.errors, HasSubstr("denoise +"));
    const json comparison = onlyDocument(slower.output)["comparison"];
    EXPECT_EQ(comparison["lost"], true);
    EXPECT_EQ(comparison["max_loss"], 0.5);
    std::map<std::string, std::string> verdicts;
    for (const json& stage : comparison["stages"]) verdicts[stage["stage"]] = stage["verdict"];
    EXPECT_EQ(verdicts["denoise"], "lost");
    EXPECT_EQ(verdicts["load"], "not_held");
}

TEST_F(BenchPipeline, EndsWith0WhereItDidNot) {
    writeBaseline([](json& document) { scale(document, 100); });
    const ProgramRun faster = run({"--baseline", baseline()});
    EXPECT_EQ(faster.exitCode, 0) << faster.errors;
    EXPECT_THAT(faster.output, HasSubstr("gained"));
}

TEST_F(BenchPipeline, RefusesTheBaselineOfAnotherMeasurement) {
    const struct {
        std::function<void(json&)> change;
        const char* says;
    } others[]{
        {[](json& d) { d["system"]["cpu"]["name"] = "Z80"; }, "its processor was \"Z80\""},
        {[](json& d) { d["system"]["device"]["type"] = "cuda:0"; }, "its device was \"cuda:0\""},
        {[](json& d) { d["model"]["hashes"]["vae"] = "0"; }, "was not the same files"},
        {[](json& d) { d["settings"]["width"] = 64; }, "its width was 64, this is 48"},
        {[](json& d) { d["settings"]["attention_type"] = "fav2"; }, "its attention_type was \"fav2\""},
        {[](json& d) { d["settings"]["wings"] = 2; }, "its wings was 2, this is null"},
    };
    writeBaseline([](json&) {});
    std::ifstream file(baseline());
    const json document = json::parse(file);
    for (const auto& other : others) {
        json changed = document;
        other.change(changed);
        std::ofstream(baseline()) << changed;
        const ProgramRun refused = run({"--baseline", baseline()});
        EXPECT_EQ(refused.exitCode, 2) << other.says;
        EXPECT_THAT(refused.errors, HasSubstr(other.says));
        EXPECT_EQ(refused.output, "");
    }
}

TEST_F(BenchPipeline, NamesWhatIsWrongWithABaseline) {
    const std::pair<const char*, const char*> wrongs[]{
        {"[]", "baseline.json"},
        {"{}", "system"},
        {R"({"system":{},"model":{},"settings":{},"stages":[{"stage":"a","seconds":[-1]}]})",
         "stages: a: seconds -1"},
        {R"({"system":{},"model":{},"settings":{},"stages":[]})", "none of its 0 can be held"},
        {R"({"system":{"cpu":[1]},"model":{},"settings":{},"stages":[{"stage":"denoise","seconds":[1]}]})",
         "its device was null"},
    };
    for (const auto& [text, says] : wrongs) {
        std::ofstream(baseline()) << text;
        const ProgramRun refused = run({"--baseline", baseline()});
        EXPECT_NE(refused.exitCode, 0) << text;
        EXPECT_THAT(refused.errors, HasSubstr(says)) << text;
    }
}

TEST_F(BenchPipeline, ClearsUpWhenInterrupted) {
    const auto renders = [&] {
        for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
            if (entry.path().filename().string().starts_with("reelgrid-bench")) return true;
        return false;
    };
    setenv("TMPDIR", m_folder.path().c_str(), 1);
    RunningProgram program(
        {"bench", "pipeline", "--model", "demo", "--device", "cpu", "--num-repetitions", "100"});
    for (int tries = 0; tries < 600 && !renders(); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(renders()) << "into $TMPDIR";
    program.signal(15);
    EXPECT_EQ(program.finish(60).exitCode, 1);
    EXPECT_FALSE(renders());
    unsetenv("TMPDIR");
}

}  // namespace
}  // namespace reelgrid::cli
