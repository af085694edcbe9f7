#include "core/plugins/described_plugin.h"

#include <gmock/gmock.h>

#include <cfenv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/plugins/description_json.h"
#include "core/plugins/plugin_library.h"
#include "core/plugins/plugin_list.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::plugins {
namespace {

using testing::HasSubstr;

std::string fileOf(const std::string& name) {
    return std::string(REELGRID_TEST_PLUGINS) + "/" + name + ".so";
}

std::string errorOf(const std::string& name) {
    const auto described = describedBy(fileOf(name));
    return described ? "" : described.error().message;
}

TEST(DescribedPlugin, SaysWhatTheExampleIs) {
    const auto described = describedBy(fileOf("example"));
    ASSERT_TRUE(described) << described.error().message;
    ASSERT_EQ(described->size(), 1U);
    const kernels::PluginDescription& said = described->front();
    EXPECT_EQ(said.name, "example");
    EXPECT_EQ(said.version, "1.0");
    EXPECT_EQ(said.file, fileOf("example"));
    EXPECT_EQ(said.sha256.size(), 64U);
    EXPECT_TRUE(said.isFor(kernels::Device::Cpu));
    EXPECT_FALSE(said.isFor(kernels::Device::Cuda));
    EXPECT_TRUE(said.takes(kernels::DataType::BFloat16));
    EXPECT_FALSE(said.takes(kernels::DataType::Float16));
    EXPECT_TRUE(said.causal && said.keyBias && said.sharedKeyHeads);
    EXPECT_FALSE(said.logSumExp);
    EXPECT_EQ(said.maxHeadDim, 1024);
    EXPECT_EQ(said.claimedL1, 0);
}

TEST(DescribedPlugin, SurvivesWhatCrashesExitsOrHangsAsItIsLoaded) {
    EXPECT_THAT(errorOf("CrashesAsLoaded"), HasSubstr("crashed as it was loaded: signal 6"));
    EXPECT_THAT(errorOf("ExitsAsLoaded"), HasSubstr("ended the process that loaded it"));
    EXPECT_THAT(errorOf("HangsAsLoaded"), HasSubstr("did not say what it is within 10 seconds"));
}

TEST(PluginLibrary, PutsBackHowTheProcessorRounds) {
    ASSERT_TRUE(PluginLibrary::open(fileOf("RoundsUpAsLoaded")));
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(DescribedPlugin, NamesFileValueAndWhatWasNeeded) {
    EXPECT_THAT(errorOf("OfAnotherAbi"), HasSubstr("OfAnotherAbi.so: it has no backend of ABI 1"));
    EXPECT_THAT(errorOf("TooSmall"), HasSubstr("a size of 64 bytes, at least"));
    EXPECT_THAT(errorOf("BadlyNamed"), HasSubstr("name \"../mine\": a letter, then letters, digits"));
    EXPECT_THAT(errorOf("WithoutRun"), HasSubstr("run: a function was needed"));
    EXPECT_THAT(errorOf("ClaimsNan"), HasSubstr("claimed_l1: it isn't finite"));
    EXPECT_THAT(errorOf("MisnamesItsOption"), HasSubstr("option \"a.b\": letters, digits, _ or -"));
    EXPECT_THAT(errorOf("OfUnknownDevices"),
                HasSubstr("OfUnknownDevices.so: devices 5: a sum of 1 (cpu) and 2 (cuda) was needed"));
    EXPECT_THAT(errorOf("OfUnknownTypes"),
                HasSubstr("dtypes 9: a sum of 1 (fp32), 2 (bf16) and 4 (fp16) was needed"));
    EXPECT_THAT(errorOf("WithUnknownFeatures"),
                HasSubstr("features 17: a sum of 1 (causal), 2 (key_bias), 4 (shared_keys) and 8 (log_sum_"));
    EXPECT_THAT(errorOf("WithoutEnd"), HasSubstr("it has more than 64 backends, no more were needed"));
    EXPECT_THAT(errorOf("nothing"), HasSubstr("nothing.so: no such file"));
}

TEST(DescribedPlugin, TakesOneOfTheFirstAbi) {
    const auto described = describedBy(fileOf("OfTheFirstAbi"));
    ASSERT_TRUE(described) << described.error().message;
    EXPECT_EQ(described->front().name, "mine");
    EXPECT_TRUE(described->front().options.empty());
}

TEST(DescribedPlugin, IsReadWhateverProcessItLeavesBehind) {
    const auto described = describedBy(fileOf("LeavesAProcess"));
    ASSERT_TRUE(described) << described.error().message;
    EXPECT_EQ(described->front().name, "mine");
}

TEST(DescribedPlugin, RefusesWhatIsNoLibraryOrNoPlugin) {
    const auto text = std::filesystem::temp_directory_path() / "reelgrid-not-a-library.so";
    std::ofstream(text) << "not a library";
    const auto noLibrary = describedBy(text);
    std::filesystem::remove(text);
    ASSERT_FALSE(noLibrary);
    EXPECT_THAT(noLibrary.error().message, HasSubstr("can't be loaded"));
    const auto noPlugin = describedBy("/usr/lib/x86_64-linux-gnu/libz.so.1");
    ASSERT_FALSE(noPlugin);
    EXPECT_THAT(noPlugin.error().message, HasSubstr("exports no reelgrid_backend_at()"));
}

/// A file of 20 GiB without a byte on the disk.
std::filesystem::path hugeFile(const std::string& name) {
    std::filesystem::path file = std::filesystem::path(testing::TempDir()) / name;
    std::ofstream(file).close();
    std::filesystem::resize_file(file, std::uintmax_t{20} << 30);
    return file;
}

TEST(DescribedPlugin, OfAnImpossibleSizeIsRefusedBeforeItIsRead) {
    const std::string has = " has 21474836480 bytes, at most ";
    for (const auto& [name, most] :
         {std::pair{"reelgrid-huge.so", "4294967296"}, std::pair{"reelgrid-huge.py", "16777216"},
          std::pair{"reelgrid-huge.json", "1048576"}}) {
        const auto file = hugeFile(name);
        const auto described = describedBy(file);
        std::filesystem::remove(file);
        ASSERT_FALSE(described);
        EXPECT_EQ(described.error().message, file.string() + has + most + " were expected");
    }
    // So is what a recipe names: its plug-in, and the library that this one loads.
    const auto library = hugeFile("reelgrid-huge.so");
    const auto recipe = std::filesystem::path(testing::TempDir()) / "reelgrid-recipe.json";
    for (const nlohmann::json& content :
         {nlohmann::json{{"plugin", library.string()}},
          nlohmann::json{{"plugin", fileOf("example")}, {"library", library.string()}}}) {
        std::ofstream(recipe) << content;
        const auto hash = pluginHash(recipe);
        ASSERT_FALSE(hash) << content;
        EXPECT_THAT(hash.error().message, HasSubstr(library.string() + has));
    }
    std::filesystem::remove(library);
    std::filesystem::remove(recipe);
}

TEST(DescribedPlugin, SurvivesAsJson) {
    const auto described = describedBy(fileOf("example"));
    ASSERT_TRUE(described);
    const auto again = descriptionFromJson(toJson(described->front()));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(toJson(*again), toJson(described->front()));
}

TEST(DescribedPlugin, JsonOfAStrangerIsChecked) {
    const auto whole = toJson(describedBy(fileOf("example")).value().front());
    const auto refused = [&](const char* key, const nlohmann::json& value) {
        auto changed = whole;
        changed[key] = value;
        const auto read = descriptionFromJson(changed);
        return read ? std::string() : read.error().message;
    };
    EXPECT_THAT(refused("name", "default"), HasSubstr("one without a meaning of its own"));
    EXPECT_THAT(refused("name", std::string(41, 'a')), HasSubstr("name"));
    EXPECT_THAT(refused("devices", nlohmann::json::array({"tpu"})), HasSubstr("devices: CPU or CUDA"));
    EXPECT_THAT(refused("max_head_dim", 0), HasSubstr("max_head_dim 0"));
    EXPECT_THAT(refused("claimed_l1", -1), HasSubstr("claimed_l1"));
    EXPECT_THAT(refused("title", 3), HasSubstr("title 3"));
}

TEST(PluginList, AddsABackendOnceAndRefusesANameThatIsTaken) {
    std::vector<std::string> notes;
    const PluginFile example{fileOf("example"), Found::Given};
    ASSERT_TRUE(addPlugins({example, example}, notes));
    const kernels::BackendInfo* found = kernels::findBackend("example");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(kernels::backends().back().name, "example");
    EXPECT_TRUE(found->runsOn(kernels::Device::Cpu));
    EXPECT_FALSE(found->runsOn(kernels::Device::Cuda));
    EXPECT_THAT(pluginArguments(), testing::ElementsAre("--backend-plugin", fileOf("example")));

    const auto taken = addPlugins({{fileOf("NamedAsOurs"), Found::Given}}, notes);
    ASSERT_FALSE(taken);
    EXPECT_THAT(taken.error().message, HasSubstr("backend fav2: a built-in one has that name"));
    EXPECT_THAT(notes, testing::IsEmpty());
    EXPECT_TRUE(addPlugins({{fileOf("NamedAsOurs"), Found::InFolder}}, notes));
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_THAT(notes.front(), HasSubstr("left out: "));
}

TEST(PluginList, AProgramThatOnlyNamesBackendsLearnsThemFromJson) {
    auto described = toJson(describedBy(fileOf("example")).value().front());
    described["name"] = "described";
    const nlohmann::json listed = {{{"name", "described"}, {"plugin", described}}, {{"name", "fav2"}}, 3};
    EXPECT_EQ(addDescribedPlugins(listed), 1U);
    EXPECT_EQ(addDescribedPlugins(listed), 0U);
    const kernels::BackendInfo* found = kernels::findBackend("described");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->plugin->kernel, nullptr);
}

}  // namespace
}  // namespace reelgrid::plugins
