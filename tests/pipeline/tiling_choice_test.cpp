#include "core/pipeline/tiling_choice.h"

#include <gtest/gtest.h>

namespace reelgrid::pipeline {
namespace {

std::string settled(const std::string& asked, std::uint64_t whole, std::uint64_t tiled,
                    std::uint64_t available) {
    catalog::RenderSettings settings;
    settings.vaeTiling = asked;
    const auto bytes = [&](const catalog::RenderSettings& with) {
        return with.vaeTiling == protocol::kTilingOn ? tiled : whole;
    };
    return settledTiling(bytes, settings, available);
}

TEST(TilingChoice, TakesTilesOnlyWhereTheWholeDoesNotFit) {
    EXPECT_EQ(settled("auto", 10, 2, 10), "off");
    EXPECT_EQ(settled("auto", 11, 2, 10), "on");
    EXPECT_EQ(settled("auto", 90, 20, 10), "on") << "the error then names the smaller need";
}

TEST(TilingChoice, TakesNoTilesThatSaveNothing) {
    EXPECT_EQ(settled("auto", 11, 11, 10), "off") << "denoising is what doesn't fit";
}

TEST(TilingChoice, LeavesWhatWasAskedFor) {
    EXPECT_EQ(settled("on", 1, 1, 10), "on");
    EXPECT_EQ(settled("off", 11, 2, 10), "off");
}

}  // namespace
}  // namespace reelgrid::pipeline
