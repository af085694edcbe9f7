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

}  // namespace
}  // namespace reelgrid::comparison
