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

TEST(ResultPaths, ATraceIsAmongTheClipsFilesOrInAFolderOfTheUsers) {
    EXPECT_EQ(tracePathOf("/out/a.mp4", "warm"), "/out/a.files/traces/warm/trace_rank0.json.gz");
    EXPECT_EQ(tracePathOf("/out/a.mp4", "/my/traces/", 3), "/my/traces/a/trace_rank3.json.gz");
    EXPECT_TRUE(isTraceFolder("./here"));
    EXPECT_FALSE(isTraceFolder("here"));
}

}  // namespace
}  // namespace reelgrid::protocol
