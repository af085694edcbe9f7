#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/session/session.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// The tiny model: 2 layers; 2 steps.
std::vector<std::string> comparing(const TestFolder& folder, std::vector<std::string> more) {
    std::vector<std::string> words{"compare",
                                   "--model",
                                   REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline",
                                   "--prompt",
                                   "a car",
                                   "--width",
                                   "48",
                                   "--height",
                                   "32",
                                   "--num-frames",
                                   "5",
                                   "--num-inference-steps",
                                   "2",
                                   "--device",
                                   "cpu",
                                   "--types",
                                   "fav2,sdpa,sagev1",
                                   "--output-dir",
                                   folder.file("out"),
                                   "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(CompareLockstep, MeasuresTheOthersOnTheReferencesClip) {
    const TestFolder folder;
    const ProgramRun plain = runProgram(comparing(folder, {}));
    ASSERT_EQ(plain.exitCode, 0) << plain.errors;
    const json before = onlyDocument(plain.output)["results"][1];
    EXPECT_FALSE(before["metrics"].contains("lockstep"));

    // The clip is there, its maps are not: it is rendered again, and only it.
    const ProgramRun run = runProgram(comparing(folder, {"--lockstep", "--reuse"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("sdpa: rendered again: its metrics.json has no lockstep map of fav2"));
    const json results = onlyDocument(run.output)["results"];
    EXPECT_TRUE(results[0]["reused"]);
    EXPECT_FALSE(results[1]["reused"]);
    EXPECT_EQ(results[1]["manifest"]["frames_sha256"], before["manifest"]["frames_sha256"]);
    const json& map = results[1]["metrics"]["lockstep"];
    EXPECT_EQ(map["layers"], 2);
    EXPECT_EQ(map["steps"], 2);
    ASSERT_EQ(map["backends"].size(), 2u);
    EXPECT_EQ(map["backends"][1]["backend"], "sagev1");
    for (const char* measure : {"cosine", "l1", "rmse"}) {
        EXPECT_EQ(map["backends"][1]["attention"][measure].size(), 2u);
        EXPECT_EQ(map["backends"][1]["flow"][measure].size(), 2u);
    }
    const std::string report = readFile(folder.file("out/report.html")).value();
    EXPECT_THAT(report, HasSubstr("<h2>Error in lockstep</h2>"));
    EXPECT_THAT(report, HasSubstr("<title>sagev1, layer 1, step 1: relative L1 "));

    const auto session = session::loadSession(folder.file("out/session.json"));
    ASSERT_TRUE(session);
    EXPECT_TRUE(session->session.request.lockstep.empty()) << "the studio renders each backend with it";

    for (const auto& more : {std::vector<std::string>{"--lockstep", "--reuse"}, {"--reuse"}}) {
        const ProgramRun again = runProgram(comparing(folder, more));
        for (const json& result : resultsIn(again.output)) EXPECT_TRUE(result["reused"]);
        EXPECT_THAT(again.errors, Not(HasSubstr("rendered again")));
    }
}

}  // namespace
}  // namespace reelgrid::cli
