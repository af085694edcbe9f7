#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/media/image.h"
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

TEST(CapturesVerb, SaysWhereTheFolderLacksSomeThatItsMetadataCounts) {
    const TestFolder folder;
    std::filesystem::copy(kCaptures, folder.path());
    const std::string whole = runProgram({"captures", "list", folder.path()}).errors;
    EXPECT_THAT(whole, testing::Not(HasSubstr("captures were saved")));
    std::filesystem::remove(folder.path() / "fav2_input_2.pt");
    const ProgramRun run = runProgram({"captures", "list", folder.path()});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("fav2_metadata.pt: 3 captures were saved, 2 are there"));
    EXPECT_THAT(run.output, HasSubstr("fav2_input_10.pt"));
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

TEST(CapturesVerb, OptionsOfMapsThatDecideNothingAreSaid) {
    const ProgramRun none = runProgram({"captures", "list", kCaptures, "--sla-topk", "0.4"});
    EXPECT_EQ(none.exitCode, 2);
    EXPECT_THAT(none.errors, HasSubstr("--sla-topk: --map was needed with it"));
    const ProgramRun other = runProgram({"captures", "list", kCaptures, "--map", "sparge", "--sla-topk",
                                         "0.4", "--backend-option", "sta.window=3,3,3"});
    EXPECT_EQ(other.exitCode, 0) << other.errors;
    EXPECT_THAT(other.errors, HasSubstr("note: --sla-topk decides nothing here: --map is sparge"));
    EXPECT_THAT(other.errors,
                HasSubstr("note: --backend-option decides nothing here: --map is sparge, not sta"));
}

TEST(CapturesVerb, OptionsThatNoCapturedCallTakesAreSaid) {
    const TestFolder folder;
    const std::string captures = folder.file("captures");
    const ProgramRun render = runProgram({"render",
                                          "--device",
                                          "cpu",
                                          "--height",
                                          "48",
                                          "--width",
                                          "64",
                                          "--num-frames",
                                          "5",
                                          "--num-inference-steps",
                                          "1",
                                          "--save-inputs",
                                          "--capture-layers",
                                          "0",
                                          "--max-captures",
                                          "1",
                                          "--input-dir",
                                          captures,
                                          "--output",
                                          folder.file("clip.mp4")});
    ASSERT_EQ(render.exitCode, 0) << render.errors;
    std::string file;
    for (const auto& each : std::filesystem::directory_iterator(captures))
        if (each.path().filename().string().find("_input_") != std::string::npos) file = each.path();
    const std::string grid = "note: --grid decides nothing here: the capture says its own, ",
                      layer =
                          "note: --backend-option sparge.cdfthreshd@99 decides nothing here: the "
                          "captured call is of layer 0";
    for (const auto& [verb, path] : {std::pair{"list", captures}, std::pair{"show", file}}) {
        const auto said = [&](std::vector<std::string> further) {
            further.insert(further.begin(), {"captures", verb, path});
            const ProgramRun run = runProgram(further);
            EXPECT_EQ(run.exitCode, 0) << run.errors;
            return run.errors;
        };
        EXPECT_THAT(said({"--map", "sta", "--grid", "1,2,5"}), HasSubstr(grid)) << verb;
        EXPECT_THAT(said({"--map", "sparge", "--backend-option", "sparge.cdfthreshd@99=0.5"}),
                    HasSubstr(layer))
            << verb;
        EXPECT_THAT(said({"--map", "sparge", "--backend-option", "sparge.cdfthreshd@0=0.5"}),
                    testing::Not(HasSubstr("decides nothing")))
            << verb;
    }
    const ProgramRun bench =
        runProgram({"bench", "attention", "--input-dir", captures, "--kernel", "sparge", "--num-repetitions",
                    "1", "--grid", "1,2,5", "--backend-option", "sparge.cdfthreshd@99=0.5"});
    EXPECT_EQ(bench.exitCode, 0) << bench.errors;
    EXPECT_THAT(bench.errors, HasSubstr(grid));
    EXPECT_THAT(bench.errors, HasSubstr(layer));
}

TEST(CapturesVerb, ShowsASparseBackendsMapAndWritesItByItsEnding) {
    const TestFolder folder;
    const std::string file = kCaptures + "/fav2_input_000000.pt";
    for (const char* name : {"map.png", "map.csv"}) {
        const ProgramRun run =
            runProgram({"captures", "show", file, "--map", "sparge", "--head", "1", "-o", folder.file(name)});
        ASSERT_EQ(run.exitCode, 0) << run.errors;
        EXPECT_THAT(run.output, HasSubstr("sparge keeps 100.0 % of the pairs of 1 blocks of 128 queries"));
    }
    std::ifstream lines(folder.path() / "map.csv");
    std::string header, pair;
    std::getline(lines, header);
    std::getline(lines, pair);
    EXPECT_THAT(header, testing::StartsWith("query_block,key_block,kept,weight,query_first_token,"));
    EXPECT_EQ(pair, "0,0,1,1,0,5,,,,,,,0,9,,,,,,");
    const auto picture = media::readImage(folder.path() / "map.png");
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_EQ(picture->pixels[0], 0xfc) << "all the weight is the lightest colour";
    EXPECT_EQ(picture->height, 2 * picture->width) << "128 queries by 64 keys";
    const ProgramRun run = runProgram({"captures", "show", file, "--map=radial", "--grid=1,2,3", "--json"});
    EXPECT_EQ(run.exitCode, 1) << "six queries and ten keys";
    EXPECT_THAT(run.errors, HasSubstr("radial: 6 queries and 10 keys, needs 6 of both, the grid's"));
    const ProgramRun list = runProgram({"captures", "list", kCaptures, "--map=sparge", "--json"});
    ASSERT_EQ(list.exitCode, 0) << list.errors;
    const json captures = onlyDocument(list.output)["captures"];
    EXPECT_EQ(captures[0]["map"]["kept_share_of_head"], json({1.0, 1.0}));
    EXPECT_THAT(captures[1]["map"]["why"].get<std::string>(), HasSubstr("sparge: no causal mask"));
}

TEST(CapturesVerb, RefusesInOneLine) {
    const std::string file = kCaptures + "/fav2_input_000000.pt";
    const ProgramRun head = runProgram({"captures", "show", file, "--head", "2"});
    EXPECT_EQ(head.exitCode, 2);
    EXPECT_THAT(head.errors, HasSubstr("--head 2: a number from 0 to 1 was needed"));
    const auto refusal = [&](std::vector<std::string> further) {
        std::vector<std::string> words{"captures", "show", file};
        words.insert(words.end(), further.begin(), further.end());
        const ProgramRun run = runProgram(words);
        EXPECT_EQ(run.exitCode, 2) << run.errors;
        return run.errors;
    };
    EXPECT_THAT(refusal({"--map", "fav2"}),
                HasSubstr("--map fav2: one of sla, sagesla, sparge, sta, radial"));
    EXPECT_THAT(refusal({"--map", "nobody"}), HasSubstr("--map nobody: one of sla"));
    EXPECT_THAT(refusal({"--map", "sparge", "-o", "map.gif"}),
                HasSubstr("-o map.gif: an ending of .json, .csv or .png was needed with --map"));
    EXPECT_THAT(refusal({"--grid", "1,2,3"}), HasSubstr("--grid 1,2,3: --map was needed with it"));
    EXPECT_THAT(refusal({"--map", "sparge", "--backend-option", "sparge.cdfthreshd=0.5,2"}),
                HasSubstr("sparge.cdfthreshd: 0 to 1 was needed"));
    for (const char* topk : {"0", "1.5", "nan"}) {
        const std::string says = std::string("--sla-topk ") + topk + ": a number above 0 and at most 1 was";
        EXPECT_THAT(refusal({"--map", "sla", "--sla-topk", topk}), HasSubstr(says));
        const ProgramRun list =
            runProgram({"captures", "list", kCaptures, "--map", "sla", "--sla-topk", topk});
        EXPECT_EQ(list.exitCode, 2) << topk;
        EXPECT_THAT(list.errors, HasSubstr(says));
    }
    const ProgramRun nowhere = runProgram({"captures", "list", "/nowhere"});
    EXPECT_EQ(nowhere.exitCode, 1);
    EXPECT_THAT(nowhere.errors, HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace reelgrid::cli
