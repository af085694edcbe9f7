#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "kernels/backends/backend_list.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;

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

}  // namespace
}  // namespace reelgrid::cli
