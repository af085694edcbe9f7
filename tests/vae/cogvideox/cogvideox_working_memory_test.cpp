#include <gtest/gtest.h>

#include <memory>

#include "core/vae/cogvideox/cogvideox_vae.h"
#include "tests/vae/counting_allocator.h"

namespace reelgrid::vae::cogvideox {
namespace {

struct Case {
    const char* name;
    CogVideoXVaeConfig config;
    ClipSize clip;
    at::ScalarType dtype = at::kFloat;
};

std::vector<Case> cases() {
    CogVideoXVaeConfig small;
    small.blockChannels = {16, 24, 32, 32};
    small.layersPerBlock = 1;
    small.normGroups = 8;
    CogVideoXVaeConfig deep = small;
    deep.layersPerBlock = 3;
    deep.blockChannels = {16, 32, 32, 64};
    CogVideoXVaeConfig odd = small;
    odd.blockChannels = {12, 20, 20, 28};
    odd.normGroups = 4;
    CogVideoXVaeConfig wide = small;
    wide.blockChannels = {64, 128, 16, 16};
    return {{"small", small, {17, 64, 128}},
            {"one batch", small, {9, 64, 128}},
            {"one frame", small, {1, 160, 160}},
            {"deep", deep, {9, 64, 64}},
            {"padded channels", odd, {9, 64, 96}},
            {"in bf16", small, {17, 64, 64}, at::kBFloat16},
            {"deep in bf16", deep, {9, 64, 64}, at::kBFloat16},
            {"in slices", wide, {9, 160, 256}, at::kBFloat16}};
}

double ratio(std::uint64_t predicted, std::int64_t measured) {
    return double(predicted) / double(measured);
}

TEST(CogVideoXWorkingMemory, IsWhatThePassesTake) {
    const c10::InferenceMode inference;
    for (const Case& each : cases()) {
        SCOPED_TRACE(each.name);
        const ClipSize& clip = each.clip;
        const auto described = CogVideoXVae::described(each.config, {.dtype = each.dtype});
        ConstantWeights source;
        const CogVideoXVae vae(weights::WeightScope(source, each.dtype), each.config);
        const std::int64_t edge = each.config.spatialFactor(),
                           latents = (clip.frames - 1) / each.config.temporalFactor() + 1;
        const at::Tensor z_CTHW =
            at::zeros({each.config.zDim, latents, clip.height / edge, clip.width / edge});
        const std::int64_t decoding =
            CountingAllocator::mostDuring([&] { vae.decodeTo(z_CTHW, [](const at::Tensor&) {}); });
        const double ofDecoding = ratio(described->layersToDecode(clip).livePeak(), decoding);
        EXPECT_TRUE(ofDecoding > 0.9 && ofDecoding < 1.2) << ofDecoding << " of " << decoding;
        const at::Tensor x_CTHW = at::zeros({3, clip.frames, clip.height, clip.width});
        const std::int64_t encoding = CountingAllocator::mostDuring([&] { (void)vae.encode(x_CTHW); });
        const double ofEncoding = ratio(described->layersToEncode(clip).livePeak(), encoding);
        EXPECT_TRUE(ofEncoding > 0.9 && ofEncoding < 1.2) << ofEncoding << " of " << encoding;
    }
}

TEST(CogVideoXWorkingMemory, FollowsTheTileAndTheDtype) {
    const CogVideoXVaeConfig config = CogVideoXVaeConfig::official();
    const auto vae = CogVideoXVae::described(config, {});
    const ClipSize clip{.frames = 49, .height = 480, .width = 720};
    const std::uint64_t whole = vae->bytesToDecode(clip);
    EXPECT_GT(whole, std::uint64_t{8} << 30);
    EXPECT_LT(vae->bytesToDecode(clip, config.tiling()), whole / 3);
    EXPECT_LT(vae->bytesToEncode(clip, config.tiling()), vae->bytesToEncode(clip) / 3);
    const auto inBf16 = CogVideoXVae::described(config, {.dtype = at::kBFloat16});
    EXPECT_LT(inBf16->bytesToDecode(clip), whole * 3 / 5);
}

TEST(CogVideoXWorkingMemory, OfAGpuDecodingAt480RowsStaysBelowSixGibibytes) {
    const CogVideoXVaeConfig config = CogVideoXVaeConfig::official();
    const auto vae = CogVideoXVae::described(config, {at::kBFloat16, at::kCUDA});
    const ClipSize clip{.frames = 49, .height = 480, .width = 720};
    EXPECT_LT(vae->weightBytes() + vae->bytesToDecode(clip), std::uint64_t{6} << 30);
}

TEST(CogVideoXWorkingMemory, DoesNotFollowTheLengthOfAClip) {
    const CogVideoXVaeConfig config = CogVideoXVaeConfig::official();
    const auto vae = CogVideoXVae::described(config, {});
    const std::uint64_t few = vae->bytesToDecode({.frames = 17, .height = 480, .width = 720});
    const std::uint64_t many = vae->bytesToDecode({.frames = 81, .height = 480, .width = 720});
    EXPECT_LT(many, few * 21 / 20);
    EXPECT_LT(vae->bytesToDecode({.frames = 1, .height = 480, .width = 720}), few * 2 / 3);
}

TEST(CogVideoXWorkingMemory, IsTheSameWhereThePictureFitsIntoATile) {
    const CogVideoXVaeConfig config = CogVideoXVaeConfig::official();
    const auto vae = CogVideoXVae::described(config, {});
    const ClipSize clip{.frames = 33, .height = 144, .width = 256};
    EXPECT_EQ(vae->bytesToDecode(clip, config.tiling()), vae->bytesToDecode(clip));
}

}  // namespace
}  // namespace reelgrid::vae::cogvideox
