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
    EXPECT_THAT(cachedIds(cache), testing::ElementsAre("owner/name"));
    fs::remove_all(cache);
}

}  // namespace
}  // namespace reelgrid::hub
