#include "core/vae/wan21/wan_vae.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/vae/counting_allocator.h"

namespace reelgrid::vae::wan21 {
namespace {

struct Case {
    const char* name;
    WanVaeConfig config;
    ClipSize clip;
    at::ScalarType dtype = at::kFloat;
};

std::vector<Case> cases() {
    WanVaeConfig small;
    small.decoderBaseDim = small.baseDim = 24;
    small.numResBlocks = 1;
    small.latentsMean.assign(16, 0);
    small.latentsStd.assign(16, 1);
    WanVaeConfig deep = small;
    deep.numResBlocks = 2;
    WanVaeConfig residual = small;
    residual.isResidual = true;
    residual.patchSize = 2;
    residual.decoderBaseDim = 32;
    return {{"small", small, {9, 96, 160}},
            {"long", small, {17, 64, 64}},
            {"one frame", small, {1, 160, 160}},
            {"deep", deep, {13, 96, 96}},
            {"in bf16", small, {5, 96, 160}, at::kBFloat16},
            {"residual", residual, {5, 96, 128}}};
}

double ratio(std::uint64_t predicted, std::int64_t measured) {
    return double(predicted) / double(measured);
}

TEST(WorkingMemory, IsWhatThePassesTake) {
    const c10::InferenceMode inference;
    for (const Case& each : cases()) {
        SCOPED_TRACE(each.name);
        const auto described = WanVae::described(each.config, {.dtype = each.dtype});
        ConstantWeights source;
        std::unique_ptr<WanVae> vae;
        const std::int64_t loading = CountingAllocator::mostDuring(
            [&] { vae = std::make_unique<WanVae>(weights::WeightScope(source, each.dtype), each.config); });
        EXPECT_LE(described->weightBytes(), std::uint64_t(loading));
        const ClipSize& clip = each.clip;
        const std::int64_t edge = each.config.spatialFactor(),
                           latents = (clip.frames - 1) / each.config.temporalFactor() + 1;
        const at::Tensor z_CTHW =
            at::zeros({each.config.zDim, latents, clip.height / edge, clip.width / edge});
        const std::int64_t decoding =
            CountingAllocator::mostDuring([&] { vae->decodeTo(z_CTHW, [](const at::Tensor&) {}); });
        // Threads that don't all work at the same moment take less, and so do clips of one frame, whose only
        // chunk has nothing to remember where it begins.
        const double most = clip.frames > 1 ? 1.2 : 1.5;
        const double ofDecoding = ratio(described->layersToDecode(clip).livePeak(), decoding);
        EXPECT_TRUE(ofDecoding > 0.9 && ofDecoding < most) << ofDecoding;
        const at::Tensor x_CTHW = at::zeros({3, clip.frames, clip.height, clip.width});
        const std::int64_t encoding = CountingAllocator::mostDuring([&] { (void)vae->encode(x_CTHW); });
        const double ofEncoding = ratio(described->layersToEncode(clip).livePeak(), encoding);
        EXPECT_TRUE(ofEncoding > 0.9 && ofEncoding < most) << ofEncoding;
    }
}

TEST(WorkingMemory, FollowsTheTileAndNotThePicture) {
    const auto vae = WanVae::described(WanVaeConfig::official(), {});
    const ClipSize clip{.frames = 81, .height = 720, .width = 1280};
    const std::uint64_t whole = vae->bytesToDecode(clip);
    EXPECT_GT(whole, std::uint64_t{8} << 30);
    EXPECT_LT(vae->bytesToDecode(clip, Tiling{}), whole / 4);
    EXPECT_LT(vae->bytesToEncode(clip, Tiling{}), vae->bytesToEncode(clip) / 4);
}

TEST(WorkingMemory, IsTheSameWhereThePictureFitsIntoATile) {
    const auto vae = WanVae::described(WanVaeConfig::official(), {});
    const ClipSize clip{.frames = 33, .height = 144, .width = 256};
    EXPECT_EQ(vae->bytesToDecode(clip, Tiling{}), vae->bytesToDecode(clip));
    EXPECT_EQ(vae->bytesToEncode(clip, Tiling{}), vae->bytesToEncode(clip));
}

}  // namespace
}  // namespace reelgrid::vae::wan21
