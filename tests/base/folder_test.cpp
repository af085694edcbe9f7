#include "core/base/folder.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/pending_file.h"
#include "tests/base/failing_readdir.h"

namespace reelgrid {
namespace {

namespace fs = std::filesystem;

class FolderTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("folder_" + std::to_string(getpid()));
    void SetUp() override {
        for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(writeFile(m_folder / name, name));
    }
    void TearDown() override { fs::remove_all(m_folder); }
};

TEST_F(FolderTest, IsListedWhole) {
    const auto entries = entriesOf(m_folder);
    ASSERT_TRUE(entries) << entries.error().message;
    std::vector<std::string> names;
    for (const auto& entry : *entries) names.push_back(entry.path().filename().string());
    EXPECT_THAT(names, testing::UnorderedElementsAre("a", "b", "c"));
}

TEST_F(FolderTest, SaysWhichFolderCannotBeListedAndWhy) {
    const auto missing = entriesOf(m_folder / "none");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
    EXPECT_EQ(missing.error().message, (m_folder / "none").string() + ": No such file or directory");
    const auto file = entriesOf(m_folder / "a");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::Io);
}

TEST_F(FolderTest, AmongPlacesThatWereLookedAtSaysThatItCannotBeRead) {
    EXPECT_EQ(nameOfLookedAt(m_folder), m_folder.string());
    EXPECT_EQ(nameOfLookedAt(m_folder / "none"), (m_folder / "none").string());
    EXPECT_EQ(nameOfLookedAt(m_folder / "a"), (m_folder / "a").string() + ": Not a directory");
}

TEST_F(FolderTest, AListingThatStopsHalfwayIsAnErrorAndThrowsNothing) {
    const FailingReaddir failing(3);
    const auto entries = entriesOf(m_folder);
    ASSERT_FALSE(entries);
    EXPECT_EQ(entries.error().code, ErrorCode::Io);
    EXPECT_EQ(entries.error().message, m_folder.string() + ": Input/output error");
}

TEST_F(FolderTest, ThatOfTemporaryFilesIsNamedWhereThereIsNone) {
    const char* before = std::getenv("TMPDIR");
    const std::string kept = before == nullptr ? "" : before;
    setenv("TMPDIR", (m_folder / "none").c_str(), 1);
    const auto missing = folderOfTemporaryFiles();
    setenv("TMPDIR", m_folder.c_str(), 1);
    EXPECT_EQ(folderOfTemporaryFiles().value(), m_folder);
    before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message,
                testing::HasSubstr("TMPDIR=" + (m_folder / "none").string() + ": No such file"));
}

}  // namespace
}  // namespace reelgrid
