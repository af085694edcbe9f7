#include <gtest/gtest.h>

#include "core/vae/cogvideox/working_memory.h"

namespace reelgrid::vae::cogvideox {
namespace {

TEST(CogVideoXWorkingMemory, FollowsTheTileAndTheDtype) {
    const CogVideoXVaeConfig config = CogVideoXVaeConfig::official();
    ClipSize clip{.frames = 49, .height = 480, .width = 720};
    const std::uint64_t whole = bytesToDecode(config, clip);
    EXPECT_GT(whole, std::uint64_t{8} << 30);
    EXPECT_LT(bytesToDecode(config, clip, config.tiling()), whole / 3);
    EXPECT_LT(bytesToEncode(config, clip, config.tiling()), bytesToEncode(config, clip) / 3);
    clip.valueBytes = 2;
    EXPECT_LT(bytesToDecode(config, clip), whole * 11 / 20);
}

TEST(CogVideoXWorkingMemory, DoesNotFollowTheLengthOfAClip) {
    const CogVideoXVaeConfig config = CogVideoXVaeConfig::official();
    const std::uint64_t few = bytesToDecode(config, {.frames = 9, .height = 480, .width = 720});
    const std::uint64_t many = bytesToDecode(config, {.frames = 81, .height = 480, .width = 720});
    EXPECT_LT(many, few * 21 / 20);
    EXPECT_LT(bytesToDecode(config, {.frames = 1, .height = 480, .width = 720}), few / 2);
}

TEST(CogVideoXWorkingMemory, IsTheSameWhereThePictureFitsIntoATile) {
    const CogVideoXVaeConfig config = CogVideoXVaeConfig::official();
    const ClipSize clip{.frames = 33, .height = 144, .width = 256};
    EXPECT_EQ(bytesToDecode(config, clip, config.tiling()), bytesToDecode(config, clip));
}

}  // namespace
}  // namespace reelgrid::vae::cogvideox
