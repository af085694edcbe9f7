#include "core/protocol/result_paths.h"

#include <gtest/gtest.h>

namespace reelgrid::protocol {
namespace {

TEST(ResultPaths, PutCompanionsBesideTheClip) {
    EXPECT_EQ(resultFolderOf("/out/results/a_attn_sdpa_144x256.mp4"),
              "/out/results/a_attn_sdpa_144x256.files");
}

TEST(ResultPaths, KeepDotsOfTheName) {
    EXPECT_EQ(resultFolderOf("wan2.1.webm"), "wan2.1.files");
}

}  // namespace
}  // namespace reelgrid::protocol
