#include "core/result/interrupted_renders.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/base/pending_file.h"
#include "core/protocol/result_paths.h"
#include "core/result/writer_lock.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;

class InterruptedRendersTest : public testing::Test {
  protected:
    fs::path m_results = fs::path(testing::TempDir()) / ("interrupted_" + std::to_string(getpid()));
    void TearDown() override { fs::remove_all(m_results); }

    /// As a killed render leaves it; `keeps` steps of 50.
    fs::path leave(const fs::path& name, int keeps, const char* asked = "/elsewhere/old.webm") {
        protocol::RenderRequest request;
        request.prompt = name.string();
        request.output = asked;
        request.saveInputs = true;
        const fs::path clip = m_results / name;
        EXPECT_TRUE(writeUnfinished(clip, {keeps, 50, request}));
        if (keeps > 0) {
            EXPECT_TRUE(writeFile(protocol::resultFolderOf(clip) / protocol::kResumeFile, "latents"));
        }
        return clip;
    }
};

TEST_F(InterruptedRendersTest, FindsThoseOfEveryComparisonWhereverItWasMovedTo) {
    const fs::path first = leave("one/a.b.webm", 10);
    const fs::path second = leave("two/results/c.webm", 0);
    fs::create_directories(m_results / "one" / "whole.files");
    fs::last_write_time(m_results / "two", fs::last_write_time(m_results / "one") - std::chrono::hours(1));
    const auto changed = fs::last_write_time(m_results / "one");
    const auto found = interruptedBelow(m_results);
    EXPECT_EQ(fs::last_write_time(m_results / "one"), changed);  // looking changes nothing
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].clip, first);
    EXPECT_EQ(found[0].comparison, m_results / "one");
    EXPECT_EQ(found[0].left.stepsKept, 10);
    EXPECT_EQ(found[0].left.steps, 50);
    EXPECT_EQ(found[0].left.request.output, first.string());
    EXPECT_FALSE(found[0].left.request.saveInputs);  // a file doesn't choose what gets written where
    EXPECT_EQ(found[1].clip, second);
    EXPECT_EQ(found[1].comparison, m_results / "two");
    EXPECT_EQ(found[1].left.stepsKept, 0);
}

TEST_F(InterruptedRendersTest, OneThatIsBeingWrittenIsNone) {
    const fs::path clip = leave("one/a.mp4", 10);
    {
        const auto lock = WriterLock::acquire(protocol::resultFolderOf(clip));
        ASSERT_TRUE(lock);
        EXPECT_TRUE(interruptedIn(m_results / "one").empty());
        EXPECT_FALSE(discardInterrupted(clip));
    }
    EXPECT_EQ(interruptedIn(m_results / "one").size(), 1U);
}

TEST_F(InterruptedRendersTest, StepsWithoutTheirFileAreNone) {
    const fs::path clip = leave("one/a.mp4", 10);
    fs::remove(protocol::resultFolderOf(clip) / protocol::kResumeFile);
    ASSERT_EQ(interruptedIn(m_results / "one").size(), 1U);
    EXPECT_EQ(interruptedIn(m_results / "one")[0].left.stepsKept, 0);
    ASSERT_TRUE(writeFile(protocol::resultFolderOf(clip) / protocol::kUnfinishedFile, "{"));
    EXPECT_TRUE(interruptedIn(m_results / "one").empty());
}

TEST_F(InterruptedRendersTest, DiscardingLeavesWhatElseIsThere) {
    const fs::path clip = leave("one/a.mp4", 10);
    const fs::path other = leave("one/b.mp4", 5);
    ASSERT_TRUE(writeFile(protocol::resultFolderOf(other) / "notes.txt", "mine"));
    for (const fs::path& each : {clip, other}) ASSERT_TRUE(discardInterrupted(each));
    EXPECT_FALSE(fs::exists(protocol::resultFolderOf(clip)));
    EXPECT_TRUE(fs::exists(protocol::resultFolderOf(other) / "notes.txt"));
    EXPECT_TRUE(interruptedIn(m_results / "one").empty());
}

}  // namespace
}  // namespace reelgrid::result
