#include "core/comparison/summary.h"

#include <gmock/gmock.h>

namespace reelgrid::comparison {
namespace {

using testing::HasSubstr;

TEST(TilingLine, NamesTilesThatWereNotAskedFor) {
    catalog::RenderSettings asked;
    asked.vaeTiling = protocol::kTilingAuto;
    result::Manifest manifest;
    EXPECT_EQ(tilingLine(asked, manifest), "");
    manifest.settings = asked;
    manifest.settings->vaeTilePx = 128;
    manifest.settings->vaeTiling = protocol::kTilingOff;
    EXPECT_EQ(tilingLine(asked, manifest), "");
    manifest.settings->vaeTiling = protocol::kTilingOn;
    EXPECT_THAT(tilingLine(asked, manifest), HasSubstr("in tiles of 128 pixels"));
    asked.vaeTiling = protocol::kTilingOn;
    EXPECT_EQ(tilingLine(asked, manifest), "");
}

TEST(AttentionRemarks, SayHowMuchASparseKernelKept) {
    result::Manifest manifest;
    protocol::CallRecord call;
    call.requested = call.used = "sta";
    manifest.attention = {call};
    EXPECT_TRUE(attentionRemarks(manifest).empty());
    manifest.attention[0].kept = 0.304;
    EXPECT_THAT(attentionRemarks(manifest),
                testing::ElementsAre("self-attention with sta: 30 % of the blocks kept"));
    manifest.attention[0].kept = 1;
    EXPECT_THAT(attentionRemarks(manifest),
                testing::ElementsAre("self-attention with sta: all blocks kept, nothing was left out"));
}

}  // namespace
}  // namespace reelgrid::comparison
