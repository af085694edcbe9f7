#include "core/vae/wan21/working_memory.h"

#include <gtest/gtest.h>

namespace reelgrid::vae::wan21 {
namespace {

TEST(WorkingMemory, FollowsTheTileAndNotThePicture) {
    const WanVaeConfig config = WanVaeConfig::official();
    const ClipSize clip{.frames = 81, .height = 720, .width = 1280};
    const std::uint64_t whole = bytesToDecode(config, clip);
    EXPECT_GT(whole, std::uint64_t{8} << 30);
    EXPECT_LT(bytesToDecode(config, clip, Tiling{}), whole / 4);
    EXPECT_LT(bytesToEncode(config, clip, Tiling{}), bytesToEncode(config, clip) / 4);
}

TEST(WorkingMemory, IsTheSameWhereThePictureFitsIntoATile) {
    const WanVaeConfig config = WanVaeConfig::official();
    const ClipSize clip{.frames = 33, .height = 144, .width = 256};
    EXPECT_EQ(bytesToDecode(config, clip, Tiling{}), bytesToDecode(config, clip));
    EXPECT_EQ(bytesToEncode(config, clip, Tiling{}), bytesToEncode(config, clip));
}

}  // namespace
}  // namespace reelgrid::vae::wan21
