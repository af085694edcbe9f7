#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// As small as a clip of the model can be, with two passes a step.
Words smallRender(const std::string& model, const std::string& output, const Words& further) {
    Words words{"render", "--model", model,  "--num-frames", "9",   "--num-inference-steps", "2", "--seed",
                "7",      "--dtype", "fp32", "--output",     output};
    words.insert(words.end(), further.begin(), further.end());
    const auto steps = std::ranges::find(words, "--num-inference-steps");
    if (std::ranges::count(words, "--num-inference-steps") > 1) words.erase(steps, steps + 2);
    return words;
}

std::string latentsOf(const std::string& clip) {
    std::ifstream file(fs::path(clip).replace_extension(".files") / "latents.safetensors", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The values of the file's only tensor, fp32.
std::vector<float> valuesOf(const std::string& file) {
    std::uint64_t header = 0;
    std::memcpy(&header, file.data(), sizeof header);
    std::vector<float> values((file.size() - sizeof header - header) / sizeof(float));
    std::memcpy(values.data(), file.data() + sizeof header + header, values.size() * sizeof(float));
    return values;
}

double relativeDifference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        difference += std::pow(double(a[i]) - b[i], 2);
        size += double(a[i]) * a[i];
    }
    return std::sqrt(difference / size);
}

const std::map<std::string, std::string> kOneThread{{"OMP_NUM_THREADS", "1"}};

/// A model, and as many ranks as divide its heads (3 and 6).
struct Model {
    std::string name, ulysses;
};

class Ranks : public testing::TestWithParam<Model> {
  protected:
    std::string render(const std::string& name, const Words& further) {
        const ProgramRun run =
            runProgram(smallRender(GetParam().name, m_folder.file(name + ".mp4"), further), "", kOneThread);
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        EXPECT_EQ(run.output, m_folder.file(name + ".mp4") + "\n");
        return latentsOf(m_folder.file(name + ".mp4"));
    }
    TestFolder m_folder;
};

TEST_P(Ranks, RenderTheSameBitsWithUlyssesAndGuidanceShared) {
    const std::string alone = render("alone", {});
    ASSERT_FALSE(alone.empty());
    const std::string ulysses = GetParam().ulysses, both = std::to_string(2 * std::stoi(ulysses));
    EXPECT_TRUE(render("ulysses", {"--nproc", ulysses}) == alone);
    EXPECT_TRUE(render("cfg", {"--nproc", "2", "--cfg-parallel", "2"}) == alone);
    EXPECT_TRUE(render("both", {"--nproc", both, "--cfg-parallel", "2"}) == alone);
}

TEST_P(Ranks, RenderTheSameBitsWithPartsOfTheWeights) {
    const std::string alone = render("alone", {});
    ASSERT_FALSE(alone.empty());
    const std::string ulysses = GetParam().ulysses;
    EXPECT_TRUE(render("ulysses", {"--nproc", ulysses, "--shard-weights"}) == alone);
    EXPECT_TRUE(render("cfg", {"--nproc", "2", "--cfg-parallel", "2", "--shard-weights"}) == alone);
    std::ifstream file(m_folder.file("cfg.files/manifest.json"));
    const auto manifest = nlohmann::json::parse(file);
    EXPECT_EQ(manifest["memory"]["weight_shards"], 2) << manifest["memory"];
    EXPECT_EQ(manifest["memory"]["offload"], "none");
    // With passes that a step cache leaves out, all but the first block's weights stay where they are.
    const Words cache{"--num-inference-steps", "12", "--step-cache", "0.3", "--nproc", "2",
                      "--cfg-parallel",        "2"};
    Words sharded = cache;
    sharded.emplace_back("--shard-weights");
    EXPECT_TRUE(render("cached", cache) == render("sharded-cached", sharded));
}

TEST_P(Ranks, RenderNearlyTheSameInARing) {
    const std::vector<float> alone = valuesOf(render("alone", {}));
    for (const auto& [name, degrees] :
         {std::pair<std::string, Words>{"ring2", {"--nproc", "2", "--ring-degree", "2"}},
          {"ring4", {"--nproc", "4", "--ring-degree", "4"}},
          {"both", {"--nproc", "6", "--ring-degree", "2", "--ulysses-degree", "3"}}}) {
        const double difference = relativeDifference(alone, valuesOf(render(name, degrees)));
        EXPECT_LE(difference, 1e-5) << name;
        RecordProperty(name, std::to_string(difference));
    }
}

TEST_P(Ranks, SkipTheSamePassesWithAStepCache) {
    const auto cached = [&](const std::string& name, Words degrees) {
        degrees.insert(degrees.end(), {"--num-inference-steps", "12", "--step-cache", "0.3"});
        const std::vector<float> latents = valuesOf(render(name, degrees));
        std::ifstream file(m_folder.file(name + ".files/manifest.json"));
        return std::pair{latents, nlohmann::json::parse(file)["step_cache"]};
    };
    const auto [alone, record] = cached("alone", {});
    ASSERT_GT(record["skipped"], 0) << record;
    const std::string ulysses = GetParam().ulysses;
    for (const auto& [name, degrees] : {std::pair<std::string, Words>{"ulysses", {"--nproc", ulysses}},
                                        {"ring", {"--nproc", "2", "--ring-degree", "2"}},
                                        {"cfg", {"--nproc", "2", "--cfg-parallel", "2"}}}) {
        const auto [latents, ours] = cached(name, degrees);
        EXPECT_LE(relativeDifference(alone, latents), 1e-4) << name << ": " << ours << record;
        if (name != "cfg") {
            EXPECT_EQ(ours["skipped_per_step"], record["skipped_per_step"]) << name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, Ranks, testing::Values(Model{"demo", "3"}, Model{"demo-cogvideox", "2"}),
                         [](const auto& param) { return param.param.name == "demo" ? "Wan" : "CogVideoX"; });

TEST(RanksOfAComparison, KeepTheModelForEveryBackend) {
    const TestFolder folder;
    const ProgramRun run = runProgram(
        {"compare", "--model", "demo", "--types", "sdpa,fav2", "--num-frames", "9", "--num-inference-steps",
         "2", "--output-dir", folder.file("out"), "--nproc", "3", "--json"},
        "", kOneThread);
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const nlohmann::json document = onlyDocument(run.output);
    ASSERT_EQ(document["results"].size(), 2u);
    for (const auto& result : document["results"]) {
        const std::string clip = result["clip"].get<std::string>();
        EXPECT_THAT(clip, testing::HasSubstr("_ulysses3_ring1_"));
        EXPECT_TRUE(fs::exists(clip)) << clip;
    }
}

TEST(RanksThatAreStopped, KeepStepsThatOneProcessGoesOnFrom) {
    const TestFolder folder;
    const Words words = smallRender("demo", folder.file("a.mp4"), {"--save-latents-every", "1"});
    Words longer = words;
    longer[std::size_t(std::ranges::find(longer, "--num-inference-steps") - longer.begin()) + 1] = "16";
    const auto with = [&](Words further, const std::string& output) {
        Words all = longer;
        *std::ranges::find(all, folder.file("a.mp4")) = folder.file(output);
        all.insert(all.end(), further.begin(), further.end());
        return all;
    };
    ASSERT_EQ(runProgram(with({}, "alone.mp4"), "", kOneThread).exitCode, 0);
    ::setenv("OMP_NUM_THREADS", "1", 1);
    RunningProgram program(with({"--nproc", "3"}, "stopped.mp4"));
    const fs::path kept = folder.path() / "stopped.files" / "resume.safetensors";
    for (int tries = 0; tries < 400 && !fs::exists(kept); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ASSERT_TRUE(fs::exists(kept));
    program.signal(SIGTERM);
    const ProgramRun stopped = program.finish(30);
    EXPECT_EQ(stopped.exitCode, 1) << stopped.errors;
    EXPECT_THAT(stopped.errors, testing::HasSubstr("cancelled"));
    ASSERT_TRUE(fs::exists(kept));
    fs::copy(kept.parent_path(), folder.path() / "again.files");
    EXPECT_EQ(runProgram(with({"--resume"}, "stopped.mp4"), "", kOneThread).exitCode, 0);
    const ProgramRun again =
        runProgram(with({"--resume", "--nproc", "2", "--cfg-parallel", "2"}, "again.mp4"), "", kOneThread);
    EXPECT_EQ(again.exitCode, 0) << again.errors;
    EXPECT_TRUE(latentsOf(folder.file("stopped.mp4")) == latentsOf(folder.file("alone.mp4")));
    EXPECT_TRUE(latentsOf(folder.file("again.mp4")) == latentsOf(folder.file("alone.mp4")));
}

TEST(RankOptions, RefuseInOneLine) {
    const TestFolder folder;
    // Progress and notes may have come before what is wrong.
    const auto errorOf = [&](const Words& further) {
        const ProgramRun run = runProgram(smallRender("demo", folder.file("a.mp4"), further));
        EXPECT_EQ(run.exitCode, 2) << run.errors;
        const std::size_t said = run.errors.find("reelgrid-cli: ");
        EXPECT_NE(said, run.errors.npos) << run.errors;
        EXPECT_EQ(run.errors.find('\n', said), run.errors.size() - 1) << run.errors;
        return run.errors;
    };
    EXPECT_THAT(errorOf({"--ulysses-degree", "8"}), testing::HasSubstr("are 8 ranks, there is 1"));
    EXPECT_THAT(errorOf({"--nproc", "3", "--cfg-parallel", "2"}), testing::HasSubstr("there are 3"));
    EXPECT_THAT(errorOf({"--nproc", "3", "--lockstep", "fav2"}), testing::HasSubstr("--lockstep"));
    EXPECT_THAT(errorOf({"--nproc", "2", "--ring-degree", "2", "--attention-type", "sla"}),
                testing::HasSubstr("sla chooses among all keys"));
    EXPECT_THAT(errorOf({"--nproc", "2", "--cfg-parallel", "2", "--guidance-scale", "1"}),
                testing::HasSubstr("a scale above 1 was needed"));
    EXPECT_THAT(errorOf({"--nproc", "5"}), testing::HasSubstr("heads"));
    EXPECT_THAT(errorOf({"--shard-weights"}), testing::HasSubstr("one process holds all weights"));
    EXPECT_THAT(errorOf({"--nproc", "3", "--shard-weights", "--offload", "blocks"}),
                testing::HasSubstr("--shard-weights: --offload blocks keeps all blocks in host memory"));
}

/// Ranks that somebody else starts, each with an environment of its own.
TEST(RankOptions, AreToldByTheRankWhoseEnvironmentDoesNotFit) {
    const TestFolder folder;
    const std::string port = std::to_string(20000 + getpid() % 10000);
    const auto rank = [&](const std::string& number, const std::string& ranks) {
        return std::async(std::launch::async, [&folder, port, number, ranks] {
            return runProgram(
                smallRender("demo", folder.file("a.mp4"), {"--cfg-parallel", "2", "--rank-timeout", "8"}), "",
                {{"RANK", number},
                 {"WORLD_SIZE", ranks},
                 {"LOCAL_RANK", number},
                 {"MASTER_ADDR", "127.0.0.1"},
                 {"MASTER_PORT", port},
                 {"OMP_NUM_THREADS", "1"}});
        });
    };
    auto first = rank("0", "2"), other = rank("1", "3");
    for (auto* each : {&other, &first}) {
        const ProgramRun run = each->get();
        EXPECT_EQ(run.exitCode, 2);
        EXPECT_THAT(run.errors, testing::ContainsRegex("reelgrid-cli: rank 1: .*there are 3"));
    }
}

/// Children of a process, by /proc.
std::vector<int> ranksBelow(const std::string& output) {
    std::vector<int> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        std::ifstream environment(entry.path() / "environ", std::ios::binary),
            words(entry.path() / "cmdline", std::ios::binary);
        const std::string variables{std::istreambuf_iterator<char>(environment), {}},
            commandLine{std::istreambuf_iterator<char>(words), {}};
        if (variables.find("REELGRID_RANK_LAUNCHER=") != variables.npos &&
            commandLine.find(output) != commandLine.npos)
            found.push_back(std::stoi(entry.path().filename().string()));
    }
    return found;
}

TEST(RankDeaths, EndAllWithinSecondsAndAreTold) {
    const TestFolder folder;
    const std::string output = folder.file("killed.mp4");
    RunningProgram program(
        {"render", "--model", "demo", "--num-inference-steps", "200", "--output", output, "--nproc", "3"});
    std::vector<int> ranks;
    for (int tries = 0; tries < 200 && ranks.size() < 3; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ranks = ranksBelow(output);
    }
    ASSERT_EQ(ranks.size(), 3u);
    std::this_thread::sleep_for(std::chrono::seconds(8));  // into the first steps
    std::ranges::sort(ranks);
    kill(ranks.back(), SIGKILL);
    const ProgramRun run = program.finish(20);
    EXPECT_EQ(run.exitCode, 1) << run.errors;
    EXPECT_THAT(run.errors, testing::ContainsRegex("rank 2 on .*: was killed by signal 9"));
    EXPECT_FALSE(fs::exists(output));
    EXPECT_TRUE(ranksBelow(output).empty());
}

}  // namespace
}  // namespace reelgrid::cli
