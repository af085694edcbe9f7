// Stable Video Diffusion's UNet with its blocks outside of the device's memory.

#include <gmock/gmock.h>

#include "core/models/svd/unet.h"
#include "tests/models/svd/svd_fixtures.h"
#include "tests/models/wan/sdpa_dispatcher.h"
#include "tests/vae/counting_allocator.h"
#include "tests/weights/made_up_weights.h"

namespace reelgrid::models::svd {
namespace {

/// Two passes of a tiny UNet that was loaded so.
at::Tensor velocityOf(const std::string& name, at::ScalarType dtype, BlockResidence residence,
                      std::int64_t tokens) {
    const c10::InferenceMode inference;
    weights::MadeUpWeights weights;
    const auto config = VideoUnetConfig::from(svdConfig("unet_" + name));
    const VideoUnet unet(config, weights::WeightScope(weights, dtype), {.residence = residence});
    at::manual_seed(11);
    // Of an odd size, so that the way up isn't all doubling.
    const at::Tensor latents = at::randn({1, config.inChannels, 3, 7, 10}),
                     picture = at::randn({1, tokens, config.crossAttentionDim});
    wan::SdpaDispatcher dispatcher;
    const at::Tensor first = unet.forward(latents, unet.embedTime(1.2, {}), picture, dispatcher);
    latents.narrow(1, 0, first.size(1)).add_(first);
    return unet.forward(latents, unet.embedTime(-0.4, {}), picture, dispatcher);
}

TEST(SvdBlocks, GiveTheSameBitsWhereverTheirWeightsLie) {
    for (const std::string name : {"small", "deep"})
        for (const auto dtype : {at::kFloat, at::kBFloat16})
            for (const std::int64_t tokens : {1, 3}) {
                const at::Tensor held = velocityOf(name, dtype, BlockResidence::Held, tokens);
                for (const auto residence : {BlockResidence::Windowed, BlockResidence::Streamed})
                    EXPECT_TRUE(at::equal(velocityOf(name, dtype, residence, tokens), held))
                        << name << " in " << dtype;
            }
}

struct MeasuredUnet {
    std::uint64_t blocks = 0;  ///< what it says of its blocks
    std::int64_t most = 0;     ///< of all tensors at once, from before it was loaded to behind a pass
};

MeasuredUnet measured(const VideoUnetConfig& config, BlockResidence residence) {
    const c10::InferenceMode inference;
    MeasuredUnet found;
    const at::Tensor latents = at::zeros({1, 8, 2, 8, 8}), picture = at::zeros({1, 1, 32});
    vae::ConstantWeights source;
    wan::SdpaDispatcher dispatcher;
    found.most = vae::CountingAllocator::mostDuring([&] {
        const VideoUnet unet(config, weights::WeightScope(source, at::kFloat), {.residence = residence});
        (void)unet.forward(latents, unet.embedTime(1, {}), picture, dispatcher);
        found.blocks = unet.blockBytes();
    });
    return found;
}

TEST(SvdBlocks, AreNotAllThereAtOnce) {
    VideoUnetConfig config;
    config.blockChannels = {64, 96, 128, 128};
    config.heads = {2, 3, 4, 4};
    config.crossAttentionDim = 32;
    const MeasuredUnet held = measured(config, BlockResidence::Held),
                       windowed = measured(config, BlockResidence::Windowed),
                       streamed = measured(config, BlockResidence::Streamed);
    EXPECT_LT(windowed.blocks * 4, held.blocks);
    EXPECT_LT(streamed.most, held.most / 3) << "a few of them at the same time";
    EXPECT_LE(streamed.blocks * 2, windowed.blocks);
}

TEST(SvdBlocks, OfThePublishedModelInAWindowTakeAQuarterOfTheWeights) {
    const auto bytes = [](BlockResidence residence) {
        return VideoUnet::weightBytes({}, at::kHalf, at::kCUDA, {.residence = residence});
    };
    const std::uint64_t one = bytes(BlockResidence::Windowed) - bytes(BlockResidence::Streamed);
    EXPECT_GT(one, std::uint64_t{100} << 20);
    EXPECT_LT(4 * bytes(BlockResidence::Windowed), bytes(BlockResidence::Held));
    RecordProperty("held", std::to_string(bytes(BlockResidence::Held)));
    RecordProperty("windowed", std::to_string(bytes(BlockResidence::Windowed)));
}

}  // namespace
}  // namespace reelgrid::models::svd
