#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/session/session.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// First and last step exact, the rest as the attention type says.
constexpr const char* kHybrid =
    R"({"rules": [{"backend": "sdpa", "steps": 0}, {"backend": "sdpa", "steps": [-1, -1]}]})";

/// The demo model: 8 layers, 2 branches.
std::vector<std::string> fourSteps(std::vector<std::string> arguments) {
    for (const char* word :
         {"--height", "48", "--width", "64", "--num-frames", "5", "--num-inference-steps", "4"})
        arguments.emplace_back(word);
    return arguments;
}

std::map<std::string, int> callsOf(const json& manifest) {
    std::map<std::string, int> calls;
    for (const json& entry : manifest["attention"])
        calls[entry["module"].get<std::string>() + " " + entry["requested"].get<std::string>()] +=
            entry["calls"].get<int>();
    return calls;
}

std::string write(const TestFolder& folder, const std::string& text) {
    const std::string file = folder.file("policy.json");
    std::ofstream(file) << text;
    return file;
}

TEST(Policy, RendersWithTheRulesOfAFile) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram(fourSteps({"render", "--attention-type", "fav2", "--attention_policy",
                              write(folder, kHybrid), "--output", folder.file("clip.mp4"), "--json"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(callsOf(document["manifest"]),
              (std::map<std::string, int>{{"self sdpa", 32}, {"self fav2", 32}, {"cross sdpa", 64}}));
    EXPECT_EQ(document["manifest"]["request"]["attention_policy"]["rules"].size(), 2u);
}

TEST(Policy, RendersWithRulesOfTheCommandLineAndSaysWhatRan) {
    const TestFolder folder;
    const ProgramRun run = runProgram(
        fourSteps({"render", "--attention-rule", "fav3:layers=-2..-1,branch=conditional", "--attention-rule",
                   "fav2:layers=0..3,steps=1", "--benchmark-output-directory", folder.path()}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("self-attention: sdpa 48 calls, fav3 8 calls, fav2 8 calls"));
    EXPECT_THAT(run.output, testing::ContainsRegex("_attn_sdpa\\+policy-[0-9a-f]{4}_48x64.mp4"));
}

TEST(Policy, ComparesEachTypeUnderTheSameRules) {
    const TestFolder folder;
    const std::vector<std::string> command =
        fourSteps({"compare", "--types", "sdpa,fav2", "--attention-policy", write(folder, kHybrid),
                   "--stitch", "--reuse", "--output-dir", folder.file("out"), "--json"});
    const ProgramRun run = runProgram(command);
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_EQ(document["results"].size(), 2u);
    EXPECT_EQ(document["attention_policy"]["rules"].size(), 2u);
    EXPECT_EQ(document["results"][0]["label"], "sdpa") << "sdpa throughout";
    const std::string name = document["results"][1]["label"];
    EXPECT_THAT(name, testing::StartsWith("fav2+policy-"));
    EXPECT_EQ(document["results"][1]["used"], "sdpa+fav2");
    EXPECT_TRUE(document["results"][1]["metrics"].contains("psnr"));
    EXPECT_EQ(callsOf(document["results"][1]["manifest"])["self fav2"], 32);
    EXPECT_THAT(document["results"][1]["clip"].get<std::string>(), HasSubstr("_attn_" + name + "_"));

    std::ostringstream report;
    report << std::ifstream(folder.file("out/report.html")).rdbuf();
    EXPECT_THAT(report.str(), HasSubstr("sdpa in self-attention, first step"));

    const auto session = session::loadSession(folder.file("out/session.json"));
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->session.request.attentionPolicy.rules.size(), 2u);
    EXPECT_EQ(session->session.clips[1].attentionType, name);

    for (const json& result : resultsIn(runProgram(command).output)) EXPECT_TRUE(result["reused"]);
    write(folder, R"({"rules": [{"backend": "sdpa", "steps": 0}]})");
    const json changed = onlyDocument(runProgram(command).output)["results"];
    EXPECT_FALSE(changed[1]["reused"]);
    EXPECT_NE(changed[1]["clip"], document["results"][1]["clip"]) << "both stay";
}

TEST(Policy, SaysWhichRulesDecideNothing) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram(fourSteps({"compare", "--types", "sdpa,fav2", "--attention-rule", "sdpa:steps=0..1",
                              "--attention-rule", "fav3:steps=1", "--output-dir", folder.path()}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const std::string why = "earlier rules decide every call that it fits";
    EXPECT_THAT(run.errors, HasSubstr("note: rule 2, fav3 in self-attention, step 1: " + why));
    EXPECT_THAT(run.errors, testing::Not(HasSubstr("rule 1")));
    std::ostringstream report;
    report << std::ifstream(folder.file("report.html")).rdbuf();
    EXPECT_THAT(report.str(), HasSubstr("step 1 (idle: " + why + ")"));
}

TEST(Policy, ARuleForAttentionThatTheModelLacksAndACacheThatSkipsNothingAreTold) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram(fourSteps({"compare", "--types", "sdpa", "--attention-rule", "fav2:module=joint",
                              "--step-caches", "taylorseer:1", "--output-dir", folder.path()}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("note: rule 1, fav2 in joint attention: this model has no joint "
                                      "attention, only self-attention and cross-attention"));
    EXPECT_THAT(run.errors,
                HasSubstr("note: --step-caches decides nothing here: taylorseer:1 computes every step"));
}

TEST(Policy, AClipWhoseRulesReplaceSdpaIsNoReference) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram(fourSteps({"compare", "--types", "sdpa,fav2", "--attention-rule", "sagev1:layers=0",
                              "--output-dir", folder.path(), "--json"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    for (const json& result : resultsIn(run.output)) {
        EXPECT_FALSE(result["metrics"].contains("psnr"));
        EXPECT_FALSE(result["metrics"].contains("drift"));
    }
}

}  // namespace
}  // namespace reelgrid::cli
