#include "core/result/interrupted_renders.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/protocol/result_paths.h"
#include "core/result/manifest.h"
#include "core/result/writer_lock.h"
#include "tests/result/kept_state.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

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
            EXPECT_TRUE(writeKeptState(clip, keeps));
        }
        return clip;
    }
    static fs::path stateOf(const fs::path& clip) {
        return protocol::resultFolderOf(clip) / protocol::kResumeFile;
    }
    [[nodiscard]] InterruptedRender only() const {
        const auto found = interruptedIn(m_results / "one");
        EXPECT_EQ(found.size(), 1U);
        return found.empty() ? InterruptedRender{} : found[0];
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
    EXPECT_EQ(only().obstacle, "");
    fs::remove(stateOf(clip));
    EXPECT_EQ(only().left.stepsKept, 0);
    EXPECT_EQ(only().obstacle,
              stateOf(clip).string() + " is missing, with the 10 of 50 steps that were kept");
    ASSERT_TRUE(writeFile(protocol::resultFolderOf(clip) / protocol::kUnfinishedFile, "{"));
    EXPECT_TRUE(interruptedIn(m_results / "one").empty());
}

TEST_F(InterruptedRendersTest, TheStateCountsNotItsNote) {
    const fs::path clip = leave("one/a.mp4", 10);
    ASSERT_TRUE(writeKeptState(clip, 15));
    EXPECT_EQ(only().left.stepsKept, 15) << "the process was killed before it wrote its note";
    ASSERT_TRUE(writeKeptState(clip, 51));
    EXPECT_EQ(only().left.stepsKept, 0);
    EXPECT_EQ(only().obstacle,
              stateOf(clip).string() + ": done 51: at most the 50 steps of the render were needed");
    ASSERT_TRUE(writeKeptState(clip, 10));
    const std::string whole = readFile(stateOf(clip)).value();
    std::string changed = whole;
    changed[changed.find(std::string(16, '\1'))] = '\2';
    ASSERT_TRUE(writeFile(stateOf(clip), changed));
    EXPECT_EQ(only().left.stepsKept, 0);
    EXPECT_THAT(only().obstacle, AllOf(HasSubstr(stateOf(clip).string()),
                                       HasSubstr("tensor \"latents\" isn't what was written")));
    for (const std::string& damaged : {std::string("latents"), whole.substr(0, whole.size() - 1)}) {
        ASSERT_TRUE(writeFile(stateOf(clip), damaged));
        EXPECT_EQ(only().left.stepsKept, 0);
        EXPECT_THAT(only().obstacle, HasSubstr(stateOf(clip).string()));
    }
}

TEST_F(InterruptedRendersTest, OneWhoseClipIsThereIsWhole) {
    const fs::path clip = leave("one/a.webm", 10);
    ASSERT_TRUE(writeFile(clip, "a clip"));
    Manifest manifest;
    manifest.request = readUnfinished(clip).value()->request;
    manifest.request->saveInputs = false;
    manifest.clipSha256 = sha256OfFile(clip).value();
    const fs::path file = protocol::resultFolderOf(clip) / protocol::kManifestFile;
    ASSERT_TRUE(writeFile(file, toJson(manifest).dump()));
    EXPECT_EQ(only().left.stepsKept, 0);
    EXPECT_EQ(only().obstacle, "a.webm is whole already");
    // An earlier clip of the same name is another matter.
    manifest.request->seed = 7;
    ASSERT_TRUE(writeFile(file, toJson(manifest).dump()));
    EXPECT_EQ(only().left.stepsKept, 10);
    EXPECT_EQ(only().obstacle, "");
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
