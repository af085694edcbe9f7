#include "core/result/component_hash.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"

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

TEST_F(ComponentHashTest, ReadsAFileAgainOnlyWhenItChanged) {
    ComponentHasher hasher;
    const fs::path file = m_folder / "model.safetensors";
    const std::string before = hasher.hash(m_folder)->sha256;
    const auto time = fs::last_write_time(file);
    // Other content under the same size and time can't be seen: that is what shows the memory at work.
    ASSERT_TRUE(writeFile(file, "xyz"));
    fs::last_write_time(file, time);
    EXPECT_EQ(hasher.hash(m_folder)->sha256, before);
    fs::last_write_time(file, time + std::chrono::seconds(1));
    EXPECT_NE(hasher.hash(m_folder)->sha256, before);
}

TEST_F(ComponentHashTest, NamesAMissingFolder) {
    const auto hash = ComponentHasher().hash(m_folder / "gone");
    ASSERT_FALSE(hash.ok());
    EXPECT_EQ(hash.error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace reelgrid::result
