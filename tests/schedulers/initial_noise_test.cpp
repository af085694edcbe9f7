#include "core/schedulers/initial_noise.h"

#include <gmock/gmock.h>

#include "core/weights/safetensors_folder.h"

namespace reelgrid::schedulers {
namespace {

const std::string kFixture = REELGRID_SOURCE_DIR "/tests/fixtures/schedulers/noise";

class InitialNoise : public testing::TestWithParam<std::uint64_t> {};

TEST_P(InitialNoise, EqualsTorchBitForBit) {
    weights::SafetensorsFolder fixture(kFixture);
    const std::string seed = std::to_string(GetParam());
    // Below 16 values torch draws them one by one, above in blocks.
    EXPECT_TRUE(at::equal(initialNoise(GetParam(), {1, 4, 1, 1, 3}),
                          fixture.require(seed + "/1x4x1x1x3", {1, 4, 1, 1, 3})));
    EXPECT_TRUE(at::equal(initialNoise(GetParam(), {1, 16, 3, 5, 7}),
                          fixture.require(seed + "/1x16x3x5x7", {1, 16, 3, 5, 7})));
}

INSTANTIATE_TEST_SUITE_P(Seeds, InitialNoise, testing::Values(0, 42, 9223372036854775807ULL));

}  // namespace
}  // namespace reelgrid::schedulers
