#include "core/base/pending_file.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

namespace reelgrid {
namespace {

namespace fs = std::filesystem;

class PendingFileTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("pending_" + std::to_string(getpid()));
    void TearDown() override { fs::remove_all(m_folder); }
};

TEST_F(PendingFileTest, AppearsUnderItsNameOnlyWhenCommitted) {
    const fs::path name = m_folder / "deep" / "clip.mp4";
    auto pending = PendingFile::create(name);
    ASSERT_TRUE(pending);
    EXPECT_EQ(pending->path().extension(), ".mp4");
    std::ofstream(pending->path()) << "frames";
    EXPECT_FALSE(fs::exists(name));
    ASSERT_TRUE(pending->commit());
    EXPECT_EQ(readFile(name).value(), "frames");
}

TEST_F(PendingFileTest, LeavesNothingBehindWhenDropped) {
    {
        auto pending = PendingFile::create(m_folder / "clip.mp4");
        ASSERT_TRUE(pending);
        std::ofstream(pending->path()) << "half";
    }
    EXPECT_TRUE(fs::is_empty(m_folder));
}

TEST_F(PendingFileTest, KeepsTheOldFileWhenANewOneFails) {
    ASSERT_TRUE(writeFile(m_folder / "a.json", "old"));
    { auto pending = PendingFile::create(m_folder / "a.json"); }
    EXPECT_EQ(readFile(m_folder / "a.json").value(), "old");
}

TEST_F(PendingFileTest, NamesAFolderThatCantBeMade) {
    ASSERT_TRUE(writeFile(m_folder / "file", "x"));
    const auto pending = PendingFile::create(m_folder / "file" / "clip.mp4");
    ASSERT_FALSE(pending);
    EXPECT_EQ(pending.error().code, ErrorCode::Io);
    EXPECT_NE(pending.error().message.find((m_folder / "file").string()), std::string::npos);
}

TEST_F(PendingFileTest, RefusesAFileLargerThanExpected) {
    ASSERT_TRUE(writeFile(m_folder / "big", std::string(100, 'x')));
    const auto bytes = readFile(m_folder / "big", 99);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().code, ErrorCode::InvalidData);
}

}  // namespace
}  // namespace reelgrid
