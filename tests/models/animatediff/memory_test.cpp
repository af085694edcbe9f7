#include <gtest/gtest.h>

#include "core/models/animatediff/unet.h"
#include "tests/models/wan/sdpa_dispatcher.h"
#include "tests/vae/counting_allocator.h"

namespace reelgrid::models::animatediff {
namespace {

UnetConfig smallUnet() {
    UnetConfig config;
    config.blockChannels = {64, 96, 128, 128};
    config.crossAttentionDim = 32;
    return config;
}

MotionConfig motionOf(const UnetConfig& config) {
    MotionConfig motion;
    motion.blockChannels = config.blockChannels;
    return motion;
}

TEST(AnimateDiffMemory, IsWhatAPassTakes) {
    const c10::InferenceMode inference;
    const UnetConfig config = smallUnet();
    for (const auto dtype : {at::kFloat, at::kBFloat16}) {
        vae::ConstantWeights source;
        const weights::WeightScope scope(source, dtype);
        MotionUnet unet(config, scope, motionOf(config), scope);
        wan::SdpaDispatcher dispatcher;
        const at::Tensor latents = at::zeros({1, 4, 8, 40, 32}), text = at::zeros({1, 7, 32}),
                         time = unet.embedTimestep(500);
        const std::int64_t measured =
            vae::CountingAllocator::mostDuring([&] { (void)unet.forward(latents, time, text, dispatcher); });
        const double share =
            double(unet.passBytes({8, 40, 32}, dtype, at::kCPU).livePeak()) / double(measured);
        EXPECT_TRUE(share > 0.9 && share < 1.2) << share << " of " << measured << " in " << dtype;
    }
}

TEST(AnimateDiffMemory, OfStableDiffusionOnAGpuIsWhatItsWeightsAre) {
    const UnetConfig config = UnetConfig::stableDiffusion15();
    const std::uint64_t bytes = MotionUnet::weightBytes(config, {}, at::kHalf, at::kCUDA);
    EXPECT_EQ(bytes, std::uint64_t{2} * (859520964 + 453813440)) << "of image model and v2's modules";
    EXPECT_GT(MotionUnet::weightBytes(config, {}, at::kFloat, at::kCPU), 2 * bytes);
}

}  // namespace
}  // namespace reelgrid::models::animatediff
