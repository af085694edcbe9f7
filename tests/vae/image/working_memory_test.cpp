#include <gtest/gtest.h>

#include "core/vae/image/image_vae.h"
#include "tests/vae/counting_allocator.h"

namespace reelgrid::vae::image {
namespace {

struct PictureCase {
    const char* name;
    ImageVaeConfig config;
    ClipSize clip;
    at::ScalarType dtype = at::kFloat;
};

std::vector<PictureCase> pictureCases() {
    ImageVaeConfig small;
    small.blockChannels = {16, 32, 48, 48};
    small.layersPerBlock = 1;
    small.normGroups = 8;
    ImageVaeConfig deep = small;
    deep.layersPerBlock = 3;
    deep.blockChannels = {32, 32, 64};
    ImageVaeConfig odd = small;
    odd.blockChannels = {12, 20, 28};
    odd.normGroups = 4;
    return {{"small", small, {3, 256, 384}},
            {"deep", deep, {2, 160, 160}},
            {"padded channels", odd, {2, 192, 256}},
            {"in bf16", small, {3, 256, 256}, at::kBFloat16},
            {"deep in bf16", deep, {2, 160, 160}, at::kBFloat16}};
}

double shareOf(std::uint64_t predicted, std::int64_t measured) {
    return double(predicted) / double(measured);
}

TEST(ImageVaeMemory, IsWhatThePassesTake) {
    const c10::InferenceMode inference;
    for (const PictureCase& each : pictureCases()) {
        SCOPED_TRACE(each.name);
        const ClipSize& clip = each.clip;
        const auto described = ImageVae::described(each.config, {.dtype = each.dtype});
        ConstantWeights source;
        const ImageVae vae(weights::WeightScope(source, each.dtype), each.config);
        const std::int64_t edge = each.config.spatialFactor();
        const at::Tensor z_CTHW =
            at::zeros({each.config.latentChannels, clip.frames, clip.height / edge, clip.width / edge});
        const std::int64_t decoding =
            CountingAllocator::mostDuring([&] { vae.decodeTo(z_CTHW, [](const at::Tensor&) {}); });
        const double ofDecoding = shareOf(described->layersToDecode(clip).livePeak(), decoding);
        EXPECT_TRUE(ofDecoding > 0.9 && ofDecoding < 1.2) << ofDecoding << " of " << decoding;
        const at::Tensor x_CTHW = at::zeros({3, clip.frames, clip.height, clip.width});
        const std::int64_t encoding = CountingAllocator::mostDuring([&] { (void)vae.encode(x_CTHW); });
        const double ofEncoding = shareOf(described->layersToEncode(clip).livePeak(), encoding);
        EXPECT_TRUE(ofEncoding > 0.9 && ofEncoding < 1.2) << ofEncoding << " of " << encoding;
    }
}

TEST(ImageVaeMemory, FollowsTheTileAndNotTheLengthOfAClip) {
    const auto vae = ImageVae::described(ImageVaeConfig::stableDiffusion15(), {});
    const ClipSize clip{.frames = 16, .height = 512, .width = 512}, one{1, 512, 512};
    const std::uint64_t whole = vae->bytesToDecode(clip);
    EXPECT_GT(whole, std::uint64_t{1} << 29);
    EXPECT_LT(whole, vae->bytesToDecode(one) * 11 / 10);
    EXPECT_LT(vae->bytesToDecode(clip, vae->tilingOf(256)), whole / 2);
    EXPECT_LT(vae->bytesToEncode(one, vae->tilingOf(256)), vae->bytesToEncode(one) / 2);
}

TEST(ImageVaeMemory, CountsWeightsAsTheyAreKept) {
    const ImageVaeConfig config = ImageVaeConfig::stableDiffusion15();
    const auto onGpu = ImageVae::described(config, {at::kHalf, at::kCUDA});
    EXPECT_EQ(onGpu->weightBytes(), std::uint64_t{2} * 83653863);
    const auto decoder = ImageVae::described(config, {at::kHalf, at::kCUDA}, VaeParts::Decoder);
    EXPECT_LT(decoder->weightBytes(), onGpu->weightBytes() * 2 / 3);
    EXPECT_GT(ImageVae::described(config, {})->weightBytes(), 2 * onGpu->weightBytes());
}

}  // namespace
}  // namespace reelgrid::vae::image
