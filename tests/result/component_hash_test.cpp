#include "core/result/component_hash.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/result/model_hashes.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;

class ComponentHashTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("component_hash_" + std::to_string(getpid()));
    void SetUp() override {
        fs::create_directories(m_folder / "nested");
        ASSERT_TRUE(writeFile(m_folder / "model.safetensors", "abc"));
        ASSERT_TRUE(writeFile(m_folder / "config.json", "{}"));
        ASSERT_TRUE(writeFile(m_folder / ".hidden", "x"));
    }
    void TearDown() override { fs::remove_all(m_folder); }
};

TEST_F(ComponentHashTest, HashesItsFilesByName) {
    ComponentHasher hasher;
    const ComponentHash hash = hasher.hash(m_folder).value();
    ASSERT_EQ(hash.files.size(), 2U);
    EXPECT_EQ(hash.files[0].name, "config.json");
    EXPECT_EQ(hash.files[1].sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hash.files[1].bytes, 3U);
    EXPECT_EQ(hash.sha256, hasher.hash(m_folder)->sha256);
}

TEST_F(ComponentHashTest, SeesAChangeThatKeepsSizeAndTime) {
    ComponentHasher hasher;
    const fs::path file = m_folder / "model.safetensors";
    const std::string before = hasher.hash(m_folder)->sha256;
    EXPECT_EQ(hasher.hash(m_folder)->sha256, before);
    const auto time = fs::last_write_time(file);
    ASSERT_TRUE(writeFile(file, "xyz"));
    fs::last_write_time(file, time);
    EXPECT_NE(hasher.hash(m_folder)->sha256, before);
}

TEST_F(ComponentHashTest, OfAModelCoverItsIndexAndEveryComponent) {
    families::ModelInfo model;
    model.folder = m_folder.parent_path() / (m_folder.filename().string() + "_model");
    model.components = {{.name = "scheduler", .className = "", .dtypes = {}},
                        {.name = "vae", .className = "", .dtypes = {}}};
    for (const char* file : {"model_index.json", "scheduler/scheduler_config.json", "vae/config.json"})
        ASSERT_TRUE(writeFile(model.folder / file, "{}"));
    ComponentHasher hasher;
    const auto before = modelHashes(model, hasher).value();
    EXPECT_EQ(before.size(), 3U);
    ASSERT_TRUE(writeFile(model.folder / "scheduler/scheduler_config.json", R"({"flow_shift":9})"));
    const auto after = modelHashes(model, hasher).value();
    EXPECT_NE(after.at("scheduler"), before.at("scheduler"));
    EXPECT_EQ(after.at("vae"), before.at("vae"));
    EXPECT_EQ(after.at("model_index.json"), before.at("model_index.json"));
    fs::remove_all(model.folder);
}

TEST_F(ComponentHashTest, NamesAMissingFolder) {
    const auto hash = ComponentHasher().hash(m_folder / "gone");
    ASSERT_FALSE(hash.ok());
    EXPECT_EQ(hash.error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace reelgrid::result
