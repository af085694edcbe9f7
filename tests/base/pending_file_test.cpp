#include "core/base/pending_file.h"

#include <gtest/gtest.h>

#include <fnmatch.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "core/base/pending_name.h"

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

TEST_F(PendingFileTest, AFileThatIsReplacedWhileItIsReadIsTheOneOrTheOther) {
    const fs::path name = m_folder / "session.json";
    const std::string before(100, 'a');
    const std::string after(5000, 'b');
    ASSERT_TRUE(writeFile(name, before));
    const std::jthread writer([&](const std::stop_token& stop) {
        for (bool odd = true; !stop.stop_requested(); odd = !odd) (void)writeFile(name, odd ? after : before);
    });
    for (int i = 0; i < 20000; ++i) {
        const auto read = readFile(name);
        ASSERT_TRUE(read) << read.error().message;
        ASSERT_TRUE(*read == before || *read == after) << read->size() << " bytes in read " << i;
    }
}

TEST_F(PendingFileTest, LeavesNothingBehindWhenDropped) {
    {
        auto pending = PendingFile::create(m_folder / "clip.mp4");
        ASSERT_TRUE(pending);
        std::ofstream(pending->path()) << "half";
    }
    EXPECT_TRUE(fs::is_empty(m_folder));
}

/// What is left of a process that is killed while it writes `name`.
fs::path abandoned(const fs::path& name) {
    const pid_t child = fork();
    if (child == 0) {
        auto pending = PendingFile::create(name).value();
        std::ofstream(pending.path()) << "half";
        kill(getpid(), SIGKILL);
    }
    waitpid(child, nullptr, 0);
    for (const auto& entry : fs::directory_iterator(name.parent_path()))
        if (processOfPendingName(entry.path().filename().string()) == child) return entry.path();
    return {};
}

TEST_F(PendingFileTest, WhatAKilledProcessLeavesMatchesNoPatternOfClips) {
    const std::string left = abandoned(m_folder / "wan_attn_sdpa_96x160.mp4").filename().string();
    ASSERT_FALSE(left.empty());
    EXPECT_EQ(left.front(), '.');  // what a shell's and a dialog's patterns pass over
    EXPECT_TRUE(left.ends_with(".mp4"));
    for (const char* pattern : {"*", "*.mp4", "*_attn_*.mp4", "wan_*"})
        EXPECT_NE(fnmatch(pattern, left.c_str(), FNM_PERIOD), 0) << pattern;
}

TEST_F(PendingFileTest, ClearsWhatKilledProcessesLeftOfTheSameFileOnly) {
    const fs::path left = abandoned(m_folder / "clip.mp4");
    const fs::path other = abandoned(m_folder / "clip.mp4.frames");
    ASSERT_TRUE(fs::exists(left));
    ASSERT_TRUE(fs::exists(other));
    std::ofstream(m_folder / ".clip.mp4.partial-of-mine") << "x";
    const auto running = PendingFile::create(m_folder / "clip.mp4").value();
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(other));
    EXPECT_TRUE(fs::exists(m_folder / ".clip.mp4.partial-of-mine"));
    // What is being written stays, whoever else begins the same file.
    const auto second = PendingFile::create(m_folder / "clip.mp4").value();
    EXPECT_TRUE(fs::exists(running.path()));
    EXPECT_TRUE(fs::exists(second.path()));
}

TEST(PendingName, IsToldFromOtherNames) {
    EXPECT_EQ(processOfPendingName(pendingName("a/clip.mp4", 4711, 3)), 4711);
    EXPECT_EQ(processOfPendingName(pendingName("latents", 12, 0)), 12);
    EXPECT_EQ(processOfPendingName("clip.mp4.partial-552-3.mp4"), 552);
    for (const char* name : {"clip.mp4", "clip.partial-.mp4", "a.partial-3.mp4", "a.partial-3-x.mp4",
                             "a.partial-of-it.mp4", "a.partial-3-4x.mp4", "a.partial-0-1.mp4", ""})
        EXPECT_EQ(processOfPendingName(name), 0) << name;
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
