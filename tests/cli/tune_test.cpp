#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/pending_file.h"
#include "core/protocol/attention_policy_json.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

std::vector<std::string> withTinyModel(std::vector<std::string> words) {
    for (const char* word :
         {"--model", REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline", "--prompt", "a car", "--width",
          "48", "--height", "32", "--num-frames", "5", "--num-inference-steps", "2", "--device", "cpu"})
        words.emplace_back(word);
    return words;
}

TEST(Tune, WritesAPolicyThatRenderTakesAndTheFiguresThatItWasChosenBy) {
    const TestFolder folder;
    const std::string policy = folder.file("out/policy.json");
    const ProgramRun run =
        runProgram(withTinyModel({"tune", "--backends", "sdpa,sagev1", "--budget", "psnr >= 20",
                                  "--max-renders", "1", "--output", policy, "--json"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(document["budget"], "psnr>=20");
    EXPECT_EQ(document["policy"], policy);
    EXPECT_EQ(document["noise_floor"]["backend"], "fav2") << "beside the budget, though it may not be chosen";
    ASSERT_GE(document["renders"].size(), 3u);
    std::vector<std::string> names;
    bool chosenMeetsIt = false;
    for (const json& render : document["renders"]) {
        names.push_back(render["name"]);
        EXPECT_TRUE(fs::exists(render["clip"].get<std::string>()));
        EXPECT_GT(render["measured"]["seconds"], 0);
        if (render["name"] == document["chosen"]) chosenMeetsIt = render["meets_budget"];
    }
    EXPECT_THAT(names, testing::IsSupersetOf({"sdpa", "sagev1", "fav2"}));
    EXPECT_TRUE(chosenMeetsIt);
    EXPECT_NE(document["chosen"], "fav2");
    json onDisk = json::parse(readFile(folder.file("out/policy.report.json")).value());
    EXPECT_EQ(onDisk, document);
    EXPECT_THAT(readFile(folder.file("out/policy.report.html")).value(), HasSubstr("psnr&gt;=20"));

    const ProgramRun render = runProgram(
        withTinyModel({"render", "--attention-policy", policy, "--output", folder.file("a.mp4"), "--json"}));
    ASSERT_EQ(render.exitCode, 0) << render.errors;
    const json manifest = onlyDocument(render.output)["manifest"];
    for (const json& other : document["renders"]) {
        if (other["name"] != document["chosen"]) continue;
        EXPECT_EQ(protocol::toJson(
                      protocol::attentionPolicyFromJson(manifest["request"]["attention_policy"]).value()),
                  protocol::toJson(protocol::attentionPolicyFromJson(other["policy"]).value()));
    }
}

TEST(Tune, FailsAndWritesNoPolicyWhereNoneMeetsTheBudget) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram(withTinyModel({"tune", "--backends", "sagev1", "--budget", "l1<=0.0000000001", "--output",
                                  folder.file("policy.json"), "--json"}));
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_EQ(run.output, "");
    EXPECT_THAT(run.errors, HasSubstr("No policy over these backends meets l1<=1e-10. Nothing was written."));
    EXPECT_THAT(run.errors, HasSubstr("sagev1: relative L1 of the latents 0."));
    EXPECT_FALSE(fs::exists(folder.file("policy.json")));
    EXPECT_FALSE(fs::exists(folder.file("policy.report.json")));
}

TEST(Tune, LeavesNothingHalfWrittenWhenInterrupted) {
    const TestFolder folder;
    RunningProgram program(withTinyModel({"tune", "--budget", "psnr>=20", "--num-repetitions", "500",
                                          "--output", folder.file("policy.json")}));
    const auto given = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!fs::exists(folder.path() / "policy.files") && std::chrono::steady_clock::now() < given)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    program.signal(SIGINT);
    const ProgramRun run = program.finish(60);
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr("cancelled"));
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
        EXPECT_FALSE(entry.is_regular_file() && !entry.path().filename().string().starts_with("."))
            << entry.path();
}

}  // namespace
}  // namespace reelgrid::cli
