#include "core/session/clip_path.h"

#include <gmock/gmock.h>

#include "tests/session/session_folder.h"

namespace reelgrid::session {
namespace {

namespace fs = std::filesystem;

TEST(ClipPath, RelativeOnesAreInTheSessionsFolder) {
    const SessionFolder folder;
    const auto clip = resolveClipPath("results/a.mp4", folder.path());
    ASSERT_TRUE(clip) << clip.error().message;
    EXPECT_EQ(clip->path, folder.path() / "results/a.mp4");
    EXPECT_EQ(clip->where, ClipPlace::Inside);
}

TEST(ClipPath, RelativeOnesMayNotLeaveTheFolder) {
    const SessionFolder folder;
    for (const char* path : {"../a.mp4", "results/../../a.mp4", "..", ".", ""}) {
        const auto clip = resolveClipPath(path, folder.path());
        ASSERT_FALSE(clip) << path;
        EXPECT_EQ(clip.error().code, ErrorCode::InvalidData);
    }
    EXPECT_TRUE(resolveClipPath("results/../a.mp4", folder.path()));
}

TEST(ClipPath, AbsoluteOnesElsewhereAreOutside) {
    const SessionFolder folder;
    EXPECT_EQ(resolveClipPath("/etc/passwd", folder.path())->where, ClipPlace::Outside);
    EXPECT_EQ(resolveClipPath(folder.path() / "a.mp4", folder.path())->where, ClipPlace::Inside);
    EXPECT_EQ(resolveClipPath(folder.path().string() + "-2/a.mp4", folder.path())->where, ClipPlace::Outside);
}

TEST(ClipPath, LinksOutOfTheFolderAreOutside) {
    const SessionFolder folder;
    fs::create_directory_symlink("/etc", folder.path() / "results");
    EXPECT_EQ(resolveClipPath("results/passwd", folder.path())->where, ClipPlace::Outside);
}

TEST(ClipPath, IsStoredRelativeWhereItCanBe) {
    EXPECT_EQ(storedClipPath("/out/results/a.mp4", "/out"), "results/a.mp4");
    EXPECT_EQ(storedClipPath("/elsewhere/a.mp4", "/out"), "/elsewhere/a.mp4");
    EXPECT_EQ(storedClipPath("/output/a.mp4", "/out"), "/output/a.mp4");
}

}  // namespace
}  // namespace reelgrid::session
