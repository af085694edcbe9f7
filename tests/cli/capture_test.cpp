#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/protocol/result_paths.h"
#include "core/pt/pt_file.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kSteps = 2, kLayers = 8, kBranches = 2, kKinds = 2;  // of the demo model
constexpr int kCalls = kSteps * kLayers * kBranches * kKinds;

std::vector<std::string> tinyCapture(std::vector<std::string> arguments) {
    for (const char* each : {"--device", "cpu", "--height", "48", "--width", "64", "--num_frames", "5",
                             "--num_inference_steps", "2", "--save_inputs"})
        arguments.emplace_back(each);
    return arguments;
}

std::vector<std::string> namesIn(const fs::path& folder) {
    std::vector<std::string> names;
    if (fs::exists(folder))
        for (const auto& file : fs::directory_iterator(folder)) names.push_back(file.path().filename());
    std::ranges::sort(names);
    return names;
}

TEST(SaveInputs, LeavesCapturesBesideTheClipAndSaysSo) {
    const TestFolder folder;
    const fs::path clip = folder.path() / "clip.mp4", captures = folder.path() / "clip.files/captures";
    const ProgramRun run = runProgram(tinyCapture(
        {"render", "--attention_type", "fav2", "--max_captures", "3", "--output", clip, "--json"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json manifest = onlyDocument(run.output)["manifest"];
    const json row = manifest["captures"];
    EXPECT_EQ(row["folder"], "captures");
    EXPECT_EQ(row["kernel"], "fav2");
    EXPECT_EQ(row["saved"], 3);
    EXPECT_EQ(row["calls"], kCalls);
    EXPECT_EQ(row["rank"], 0);
    EXPECT_EQ(row["why"], "");
    EXPECT_EQ(manifest["settings"]["max_captures"], 3);
    int calls = 0;
    for (const json& entry : manifest["attention"]) calls += entry["calls"].get<int>();
    EXPECT_EQ(calls, kCalls);
    EXPECT_THAT(run.errors, HasSubstr("captures: the inputs of 3 of 64 attention calls"));

    const auto names = namesIn(captures);
    ASSERT_EQ(names.size(), 4u);
    EXPECT_EQ(names.back(), "fav2_metadata.pt");
    // Self-attention is every other call; the first and the last pass have one each.
    const auto first = pt::readPt(captures / names.front()), last = pt::readPt(captures / names[2]);
    ASSERT_TRUE(first && last);
    EXPECT_EQ(*first->as<pt::Dict>()->find("step")->as<std::int64_t>(), 0);
    EXPECT_EQ(*last->as<pt::Dict>()->find("step")->as<std::int64_t>(), kSteps - 1);
    EXPECT_EQ(*last->as<pt::Dict>()->find("module")->as<std::string>(), "self");
    const pt::Dict metadata = *pt::readPt(captures / "fav2_metadata.pt").value().as<pt::Dict>();
    EXPECT_EQ(*metadata.find("total_calls")->as<std::int64_t>(), kCalls);
    EXPECT_THAT(*metadata.find("settings")->as<std::string>(), HasSubstr("\"num_inference_steps\":2"));
}

TEST(SaveInputs, TheChoiceOfCallsIsFollowedAndThePictureIsTheSame) {
    const TestFolder folder;
    const ProgramRun plain = runProgram({"render", "--device", "cpu", "--height", "48", "--width", "64",
                                         "--num_frames", "5", "--num_inference_steps", "2", "--output",
                                         folder.file("plain.mp4"), "--json", "--max_captures", "7"});
    EXPECT_THAT(plain.errors, HasSubstr("note: --max-captures: nothing is saved without --save-inputs"));
    EXPECT_FALSE(onlyDocument(plain.output)["manifest"].contains("captures"));

    const fs::path captures = folder.path() / "inputs";
    const ProgramRun run = runProgram(tinyCapture(
        {"render", "--max_captures", "0", "--capture_layers", "0,6-7", "--capture_steps=-1",
         "--capture_module", "cross", "--input_dir", captures, "--output", folder.file("a.mp4"), "--json"}));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json manifest = onlyDocument(run.output)["manifest"];
    EXPECT_EQ(manifest["frames_sha256"], onlyDocument(plain.output)["manifest"]["frames_sha256"]);
    EXPECT_EQ(manifest["captures"]["folder"], captures.string());
    EXPECT_EQ(manifest["captures"]["saved"], 6);
    EXPECT_FALSE(fs::exists(folder.path() / "a.files/captures"));
    ASSERT_EQ(namesIn(captures).size(), 7u);
    for (const std::string& name : namesIn(captures)) {
        if (name == "sdpa_metadata.pt") continue;
        const pt::Dict call = *pt::readPt(captures / name).value().as<pt::Dict>();
        EXPECT_EQ(*call.find("step")->as<std::int64_t>(), 1);
        EXPECT_EQ(*call.find("module")->as<std::string>(), "cross");
        EXPECT_THAT(*call.find("layer")->as<std::int64_t>(), testing::AnyOf(0, 6, 7));
        EXPECT_NE(call.find("key_bias")->as<pt::Tensor>(), nullptr);
    }
}

TEST(SaveInputs, AFolderThatCantBeWrittenToDoesntStopTheRender) {
    const TestFolder folder;
    std::ofstream(folder.file("inputs")) << "a file";
    const ProgramRun run = runProgram(
        tinyCapture({"render", "--input_dir", folder.file("inputs"), "--output", folder.file("a.mp4")}));
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, AllOf(HasSubstr("captures: the inputs of 0 of 64"), HasSubstr("saving stopped")));
}

TEST(SaveInputs, ReuseRendersAgainWhereCapturesAreMissing) {
    const TestFolder folder;
    const auto compare = [&](bool saves) {
        std::vector<std::string> arguments =
            tinyCapture({"compare", "--types", "sdpa,sagev1", "--reuse", "--output-dir", folder.path(),
                         "--json", "--max_captures", "2"});
        if (!saves) arguments.pop_back();
        return runProgram(arguments);
    };
    const auto reused = [&](const ProgramRun& run) {
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        std::vector<bool> each;
        const json document = onlyDocument(run.output);
        for (const json& result : document["results"]) each.push_back(result["reused"]);
        return each;
    };
    const std::vector<bool> both{true, true}, none{false, false};
    EXPECT_EQ(reused(compare(false)), none);
    const ProgramRun saving = compare(true);
    EXPECT_EQ(reused(saving), none);
    EXPECT_THAT(saving.errors, AllOf(HasSubstr("sdpa: rendered again: its save_inputs was false"),
                                     HasSubstr("sagev1: captures: the inputs of 2 of 64")));
    EXPECT_EQ(reused(compare(true)), both);
    EXPECT_EQ(reused(compare(false)), both);
    for (const auto& file : fs::recursive_directory_iterator(folder.path()))
        if (file.path().filename().string().starts_with("sagev1_input_")) {
            fs::remove(file.path());
            break;
        }
    const ProgramRun again = compare(true);
    EXPECT_EQ(reused(again), (std::vector<bool>{true, false}));
    EXPECT_THAT(again.errors, HasSubstr("sagev1: rendered again: 1 of its 2 captures"));

    std::string session;
    std::getline(std::ifstream(folder.path() / "session.json"), session, '\0');
    EXPECT_EQ(json::parse(session)["request"]["save_inputs"], false);
}

}  // namespace
}  // namespace reelgrid::cli
