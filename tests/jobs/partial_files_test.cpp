#include "core/jobs/partial_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/jobs/temporary_folder.h"

namespace reelgrid::jobs {
namespace {

namespace fs = std::filesystem;

TEST(PartialFiles, OfTheDeadProcessGoAndEverythingElseStays) {
    const TemporaryFolder folder;
    const fs::path clip = folder.path() / "clip.mp4";
    fs::create_directories(folder.path() / "clip.files");
    const auto touch = [&](const char* name) { std::ofstream(folder.path() / name) << "x"; };
    for (const char* name : {"clip.mp4", ".clip.mp4.partial-41-0.mp4", ".clip.mp4.partial-42-0.mp4",
                             ".other.mp4.partial-42-0.mp4", "clip.files/timing.json",
                             "clip.files/.latents.safetensors.partial-42-1.safetensors"})
        touch(name);
    removePartialFiles(clip, 42);
    EXPECT_TRUE(fs::exists(clip));
    EXPECT_TRUE(fs::exists(folder.path() / ".clip.mp4.partial-41-0.mp4"));
    EXPECT_FALSE(fs::exists(folder.path() / ".clip.mp4.partial-42-0.mp4"));
    EXPECT_TRUE(fs::exists(folder.path() / ".other.mp4.partial-42-0.mp4"));
    EXPECT_TRUE(fs::exists(folder.path() / "clip.files/timing.json"));
    EXPECT_FALSE(fs::exists(folder.path() / "clip.files/.latents.safetensors.partial-42-1.safetensors"));
}

}  // namespace
}  // namespace reelgrid::jobs
