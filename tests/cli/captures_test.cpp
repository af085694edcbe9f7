#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kCaptures = REELGRID_SOURCE_DIR "/tests/fixtures/pt/upstream-captures";

TEST(CapturesVerb, ListsWhatAFolderHas) {
    const ProgramRun run = runProgram({"captures", "list", kCaptures, "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    ASSERT_EQ(document["captures"].size(), 3U);
    EXPECT_EQ(document["captures"][1]["call_idx"], 2);
    EXPECT_EQ(document["captures"][1]["causal"], true);
    EXPECT_EQ(document["captures"][1]["q_shape"], json({1, 2, 6, 8}));
    EXPECT_FALSE(document["captures"][1].contains("layer"));
    EXPECT_TRUE(document["unreadable"].empty());
    EXPECT_THAT(runProgram({"captures", "list", kCaptures}).output, HasSubstr("fav2_input_10.pt"));
}

TEST(CapturesVerb, AFileThatCanTBeReadIsNamedAndTheOthersAreListed) {
    const TestFolder folder;
    std::filesystem::copy(kCaptures, folder.path());
    std::ofstream(folder.path() / "fav2_input_11.pt") << "no archive";
    const ProgramRun run = runProgram({"captures", "list", folder.path(), "--json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_EQ(onlyDocument(run.output)["captures"].size(), 3U);
    EXPECT_THAT(onlyDocument(run.output)["unreadable"][0]["error"].get<std::string>(),
                HasSubstr("fav2_input_11.pt"));
    EXPECT_THAT(run.errors, HasSubstr("fav2_input_11.pt"));
}

TEST(CapturesVerb, ShowsOneHeadsMapAndWritesTheSameDocument) {
    const TestFolder folder;
    const ProgramRun run = runProgram({"captures", "show", kCaptures + "/fav2_input_000000.pt", "--head", "1",
                                       "--blocks", "3", "--json", "-o", folder.file("capture.json")});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json document = onlyDocument(run.output);
    EXPECT_EQ(document["attention_map"]["head"], 1);
    ASSERT_EQ(document["attention_map"]["means"].size(), 3U);
    // Ten keys in blocks of 3, 3 and 4: each row's weights add up to 1.
    for (const json& row : document["attention_map"]["means"])
        EXPECT_NEAR(3 * row[0].get<double>() + 3 * row[1].get<double>() + 4 * row[2].get<double>(), 1, 1e-6);
    EXPECT_EQ(document["tensors"]["q"]["elements"], 96);
    std::ifstream file(folder.path() / "capture.json");
    EXPECT_EQ(json::parse(file), document);
}

TEST(CapturesVerb, RefusesInOneLine) {
    const std::string file = kCaptures + "/fav2_input_000000.pt";
    const ProgramRun head = runProgram({"captures", "show", file, "--head", "2"});
    EXPECT_EQ(head.exitCode, 2);
    EXPECT_THAT(head.errors, HasSubstr("--head 2: a number from 0 to 1 was needed"));
    const ProgramRun nowhere = runProgram({"captures", "list", "/nowhere"});
    EXPECT_EQ(nowhere.exitCode, 1);
    EXPECT_THAT(nowhere.errors, HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace reelgrid::cli
