#include "core/result/pending_result.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/result/clip_result.h"
#include "tests/session/session_folder.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;

class PendingResultTest : public testing::Test {
  protected:
    session::SessionFolder m_folder;
    fs::path m_clip = m_folder.path() / "clip.mp4";

    /// A whole result whose files say `word`.
    Result<std::string> write(const std::string& word) const {
        auto pending = PendingResult::create(m_clip);
        if (!pending) return pending.error();
        std::ofstream(pending->latents()) << "latents " << word;
        std::ofstream(pending->clip()) << "clip " << word;
        Manifest manifest;
        manifest.modelId = word;
        metrics::ClipMetrics metrics;
        metrics.frames = int(word.size());
        return pending->commit(manifest, metrics, {Timing()});
    }

    /// Every file below the folder, with its content.
    [[nodiscard]] std::map<std::string, std::string> files() const {
        std::map<std::string, std::string> contents;
        for (const auto& entry : fs::recursive_directory_iterator(m_folder.path()))
            if (entry.is_regular_file())
                contents[entry.path().lexically_relative(m_folder.path())] = readFile(entry.path()).value();
        return contents;
    }
};

TEST_F(PendingResultTest, TakesTheFinalNamesTogether) {
    ASSERT_TRUE(write("first"));
    std::vector<std::string> names;
    for (const auto& [name, content] : files()) names.push_back(name);
    EXPECT_THAT(names, testing::ElementsAre("clip.files/latents.safetensors", "clip.files/manifest.json",
                                            "clip.files/metrics.json", "clip.files/timing.json", "clip.mp4"));
    const ClipResult read = readClipResult(m_clip);
    EXPECT_TRUE(read.problems.empty());
    EXPECT_EQ(read.manifest.clipSha256, sha256OfFile(m_clip).value());
    EXPECT_EQ(read.manifest.timingSha256, sha256OfFile(m_folder.path() / "clip.files/timing.json").value());
    EXPECT_EQ(read.metrics.clipSha256, read.manifest.clipSha256);
    EXPECT_EQ(read.metrics.frames, 5);
    EXPECT_EQ(read.timings.size(), 1U);
}

TEST_F(PendingResultTest, UncommittedLeavesTheEarlierResultWholeAndItsOwnLatents) {
    ASSERT_TRUE(write("first"));
    auto expected = files();
    {
        auto pending = PendingResult::create(m_clip);
        ASSERT_TRUE(pending) << pending.error().message;
        std::ofstream(pending->latents()) << "latents second";
        std::ofstream(pending->clip()) << "clip second";
    }
    expected["clip.files/latents.partial.safetensors"] = "latents second";
    EXPECT_EQ(files(), expected);
    ASSERT_TRUE(write("third"));
    EXPECT_FALSE(files().contains("clip.files/latents.partial.safetensors"));
    EXPECT_EQ(files()["clip.files/latents.safetensors"], "latents third");
}

TEST_F(PendingResultTest, AFailedCommitLeavesTheEarlierResultWhole) {
    ASSERT_TRUE(write("first"));
    const auto expected = files();
    {
        auto pending = PendingResult::create(m_clip);
        ASSERT_TRUE(pending) << pending.error().message;
        const auto done = pending->commit({}, {}, {});
        ASSERT_FALSE(done) << "the clip was never written";
    }
    EXPECT_EQ(files(), expected);
}

TEST_F(PendingResultTest, AClipThatCannotTakeItsNameLeavesTheEarlierCompanions) {
    ASSERT_TRUE(write("first"));
    auto expected = files();
    expected.erase("clip.mp4");
    auto pending = PendingResult::create(m_clip);
    ASSERT_TRUE(pending) << pending.error().message;
    std::ofstream(pending->latents()) << "latents second";
    std::ofstream(pending->clip()) << "clip second";
    fs::remove(m_clip);
    fs::create_directory(m_clip);
    EXPECT_FALSE(pending->commit({}, {}, {}));
    const auto left = files();
    for (const auto& [name, content] : expected) EXPECT_EQ(left.at(name), content) << name;
}

TEST_F(PendingResultTest, IsWrittenByOneAtATime) {
    const auto first = PendingResult::create(m_clip);
    ASSERT_TRUE(first) << first.error().message;
    const auto second = PendingResult::create(m_folder.path() / "clip.gif");
    ASSERT_FALSE(second) << "its companions have the same folder";
    EXPECT_THAT(second.error().message, testing::HasSubstr("is being written by process"));
}

}  // namespace
}  // namespace reelgrid::result
