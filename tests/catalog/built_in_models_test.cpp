#include "core/catalog/built_in_models.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "core/catalog/model_catalog.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// A folder of resources whose only model of its own is the demo's.
class BuiltInModels : public testing::Test {
  protected:
    fs::path m_resources = fs::path(testing::TempDir()) / ("built_in_" + std::to_string(getpid()));

    void SetUp() override {
        fs::create_directories(m_resources / "models");
        fs::create_directory_symlink(fs::path(REELGRID_SOURCE_DIR) / "resources" / "models" / "wan-demo",
                                     m_resources / "models" / "wan-demo");
        setenv("REELGRID_RESOURCES", m_resources.c_str(), 1);
        setenv("HF_HUB_CACHE", (m_resources / "hub").c_str(), 1);
    }
    void TearDown() override {
        unsetenv("REELGRID_RESOURCES");
        unsetenv("HF_HUB_CACHE");
        fs::remove_all(m_resources);
    }

    /// A miniature whose every part is the demo's, by relative links.
    void addTwin(const std::string& folder) const {
        const fs::path mine = m_resources / "models" / folder;
        fs::create_directories(mine);
        for (const auto& part : fs::directory_iterator(m_resources / "models" / "wan-demo")) {
            const fs::path name = part.path().filename();
            if (part.is_directory())
                fs::create_directory_symlink(fs::path("..") / "wan-demo" / name, mine / name);
            else
                fs::copy_file(part.path(), mine / name);
        }
    }

    static std::vector<std::string> listedIds() {
        std::vector<std::string> ids;
        for (const families::ModelInfo& model : listModels()) ids.push_back(model.id);
        return ids;
    }
};

TEST_F(BuiltInModels, AreThoseWhoseFolderIsThere) {
    EXPECT_EQ(builtInNames(), "demo");
    EXPECT_THAT(listedIds(), ElementsAre("demo"));
    EXPECT_EQ(findBuiltIn("demo-cogvideox"), nullptr);
    const auto missing = findModel("demo-cogvideox");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
    EXPECT_THAT(missing.error().message, HasSubstr("demo-cogvideox: no such file or folder"));
}

TEST_F(BuiltInModels, MayShareTheirPartsByLinks) {
    addTwin("cogvideox-demo");
    EXPECT_EQ(builtInNames(), "demo, demo-cogvideox");
    EXPECT_THAT(listedIds(), ElementsAre("demo", "demo-cogvideox"));
    const auto model = findModel("demo-cogvideox"), demo = findModel("demo");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->id, "demo-cogvideox");
    EXPECT_EQ(model->folder, m_resources / "models" / "cogvideox-demo");
    EXPECT_EQ(model->bytes(), demo->bytes());
    EXPECT_GT(model->components.front().parameters, 20'000'000);
}

TEST_F(BuiltInModels, HaveAPromptAndMayHaveAPicture) {
    for (const BuiltInModel& model : builtInModels())
        EXPECT_FALSE(model.prompt.empty() && model.picture.empty()) << model.name;
    addTwin("wan-demo-i2v");
    const BuiltInModel* pictured = findBuiltIn("demo-i2v");
    ASSERT_NE(pictured, nullptr);
    EXPECT_EQ(pictureOf(*pictured), "") << "there is no such file";
    const fs::path picture = m_resources / "prompts" / pictured->picture;
    fs::create_directories(picture.parent_path());
    std::ofstream(picture) << "a picture";
    EXPECT_EQ(pictureOf(*pictured), picture);
    EXPECT_EQ(pictureOf(*findBuiltIn("demo")), "");
}

TEST_F(BuiltInModels, WithoutTheDemoSayWhereItWasLookedFor) {
    fs::remove(m_resources / "models" / "wan-demo");
    const auto model = findModel("demo");
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().message, HasSubstr(m_resources.string() + " has no models/wan-demo"));
}

}  // namespace
}  // namespace reelgrid::catalog
