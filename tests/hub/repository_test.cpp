#include "core/hub/repository.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/base/pending_file.h"

namespace reelgrid::hub {
namespace {

namespace fs = std::filesystem;

TEST(HubId, IsOwnerAndName) {
    EXPECT_TRUE(isHubId("Wan-AI/Wan2.1-T2V-1.3B-Diffusers"));
    for (const char* other : {"demo", "/a/b", "a/b/c", "../b", "a/..", "a/", "a--b/c", "a b/c"})
        EXPECT_FALSE(isHubId(other)) << other;
}

TEST(PartId, IsARepositoryOrAFileOfIt) {
    const auto whole = partIdFrom("guoyww/animatediff-motion-adapter-v1-5-2");
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->id, "guoyww/animatediff-motion-adapter-v1-5-2");
    EXPECT_EQ(whole->file, "");
    const auto file = partIdFrom("guoyww/animatediff/folder/mm.ckpt");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->id, "guoyww/animatediff");
    EXPECT_EQ(file->file, "folder/mm.ckpt");
    for (const char* other : {"mm.ckpt", "a/b/../../c", "a/b/", "/a/b/c", "a/b//c", "../a/b"})
        EXPECT_FALSE(partIdFrom(other)) << other;
}

TEST(Revision, IsWhatGitTakesForTheNameOfOne) {
    for (const char* good : {"main", "refs/pr/1", "v1.0", "fp16", "feature/a-b_c", "caf\xc3\xa9",
                             "0123456789abcdef0123456789abcdef01234567"})
        EXPECT_TRUE(checkRevision(good)) << good;
    const Repository repository(fs::path(testing::TempDir()) / "unwritten", "owner/name");
    for (const char* bad : {"",     "../../x", "..",     "a/../b",   "a..b", "/etc/x", "a/",  "a//b", ".a",
                            "a/.b", "a.",      "a.lock", "a.lock/b", "@",    "a@{1",   "a b", "a\nb", "a\x7f",
                            "a~1",  "a^",      "a:b",    "a?",       "*",    "a[b",    "a\\b"}) {
        const auto refused = checkRevision(bad);
        ASSERT_FALSE(refused) << bad;
        EXPECT_EQ(refused.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(refused.error().message, testing::HasSubstr("a branch, tag or commit was needed"));
        EXPECT_FALSE(repository.setRevision(bad, "1111")) << bad;
    }
    EXPECT_FALSE(fs::exists(repository.folder()));
    EXPECT_FALSE(checkRevision(std::string("a\0b", 3)));
    EXPECT_FALSE(checkRevision(std::string(300, 'a')));
    EXPECT_THAT(checkRevision("").error().message, testing::StartsWith("--revision \"\": "));
}

TEST(Repository, ShowsTheSnapshotOfMain) {
    const fs::path cache = fs::path(testing::TempDir()) / ("repository_" + std::to_string(getpid()));
    const Repository repository(cache, "owner/name");
    EXPECT_TRUE(repository.presentSnapshot().empty());
    writeFile(repository.blob("abc"), "contents").value();
    for (const char* commit : {"1111", "2222"}) repository.link(commit, "folder/file.json", "abc").value();
    repository.setRevision("main", "2222").value();
    EXPECT_EQ(repository.presentSnapshot(), repository.snapshot("2222"));
    EXPECT_EQ(readFile(repository.presentSnapshot() / "folder/file.json").value(), "contents");
    repository.link("2222", "folder/file.json", "abc").value();  // again
    EXPECT_EQ(repository.presentPart("folder/file.json"), repository.presentSnapshot() / "folder/file.json");
    for (const char* absent : {"other.json", "folder", ""})
        EXPECT_TRUE(repository.presentPart(absent).empty());
    repository.link("2222", "config.json", "abc").value();
    EXPECT_EQ(repository.presentPart(""), repository.presentSnapshot());
    EXPECT_THAT(cachedIds(cache).value(), testing::ElementsAre("owner/name"));
    fs::remove_all(cache);
    EXPECT_THAT(cachedIds(cache).value(), testing::IsEmpty()) << "there is no cache yet";
}

TEST(Repository, OfACacheThatCannotBeReadIsNotTakenForAbsent) {
    const fs::path cache = fs::path(testing::TempDir()) / ("unreadable_" + std::to_string(getpid()));
    const Repository repository(cache, "owner/name");
    EXPECT_TRUE(repository.requireReadable());
    fs::create_symlink(cache.filename(), cache);  // a circle, which root can't read either
    EXPECT_THAT(repository.requireReadable().error().message,
                testing::HasSubstr("snapshots: Too many levels"));
    EXPECT_EQ(cachedIds(cache).error().code, ErrorCode::Io);
    fs::remove(cache);
}

}  // namespace
}  // namespace reelgrid::hub
