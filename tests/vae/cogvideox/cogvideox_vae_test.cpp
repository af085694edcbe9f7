#include <gmock/gmock.h>

#include "core/vae/cogvideox/frame_batches.h"
#include "core/vae/cogvideox/residual_block.h"
#include "tests/vae/cogvideox/vae_fixture.h"

namespace reelgrid::vae::cogvideox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

at::Tensor noise(at::IntArrayRef shape) {
    at::manual_seed(3);
    return at::randn(shape);
}

template <class Call>
Error failureOf(Call&& call) {
    try {
        call();
    } catch (const Failure& failure) {
        return failure.error();
    }
    return {ErrorCode::Internal, "nothing was thrown"};
}

/// Weights that a name and a shape decide.
class RandomWeights final : public weights::WeightSource {
  public:
    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        at::manual_seed(std::hash<std::string>()(name) % 1000);
        return at::randn(shape) / std::sqrt(double(c10::multiply_integers(shape)) / double(shape[0]));
    }
    [[nodiscard]] bool has(const std::string&) const override { return true; }
};

/// Two batches that are too large to be worked on at once, in slices and by the engine that does it at once.
TEST(CogVideoXResidualBlock, InSlicesMakesTheSamePictures) {
    const c10::InferenceMode inference;
    RandomWeights source;
    for (const std::int64_t in : {64, 32}) {
        const ResidualBlock::Shape shape{.in = in, .out = 32, .groups = 8};
        std::vector<at::Tensor> made;
        for (const ConvEngine engine : {ConvEngine::Libtorch, ConvEngine::Fastest}) {
            const ResidualBlock block({weights::WeightScope(source, at::kFloat), engine}, shape);
            ConvCache cache;
            std::vector<at::Tensor> batches;
            for (const std::int64_t frames : {9, 8}) {
                cache.beginBatch();
                batches.push_back(block.forward(noise({frames, 224, 256, in}), {}, cache));
            }
            made.push_back(at::cat(batches));
        }
        EXPECT_LT(relativeError(made[0], made[1]), 1e-4) << in;
    }
}

TEST(FrameBatches, HaveLeftOverFramesInTheFirst) {
    const auto counts = [](std::int64_t frames, std::int64_t size) {
        std::vector<std::int64_t> cut;
        for (const FrameBatch& batch : frameBatches(frames, size)) cut.push_back(batch.count);
        return cut;
    };
    EXPECT_THAT(counts(1, 2), ElementsAre(1));
    EXPECT_THAT(counts(4, 2), ElementsAre(2, 2));
    EXPECT_THAT(counts(5, 2), ElementsAre(3, 2));
    EXPECT_THAT(counts(5, 8), ElementsAre(5));
    EXPECT_THAT(counts(13, 8), ElementsAre(13));
    EXPECT_THAT(counts(49, 8), ElementsAre(9, 8, 8, 8, 8, 8));
}

TEST(CogVideoXVae, HandsOutFramesAsTheyAreDecoded) {
    const CogVideoXVae vae = fixtureVae("four_sizes");
    std::vector<std::int64_t> counts;
    vae.decodeTo(noise({4, 5, 2, 2}),
                 [&](const at::Tensor& frames_THWC) { counts.push_back(frames_THWC.size(0)); });
    EXPECT_THAT(counts, ElementsAre(9, 8));
}

TEST(CogVideoXVae, KeepsFramesThatWereHandedOut) {
    const CogVideoXVae vae = fixtureVae("four_sizes");
    const at::Tensor z = noise({4, 5, 2, 2});
    std::vector<at::Tensor> kept;
    vae.decodeTo(z, [&](const at::Tensor& frames_THWC) { kept.push_back(frames_THWC); });
    EXPECT_TRUE(at::equal(at::cat(kept, 0), decoded(vae, z)));
}

TEST(CogVideoXVae, ReportsFramesOfAllTiles) {
    const CogVideoXVae vae = fixtureVae("tiles");
    std::vector<std::int64_t> done;
    const auto record = [&](std::int64_t frames, std::int64_t total) {
        EXPECT_EQ(total, 2 * 9);
        done.push_back(frames);
    };
    const Tiling tiling = vae.config().tiling();
    const at::Tensor frames = vae.decodeTiled(noise({4, 3, 5, 6}), tiling, record);
    EXPECT_THAT(done, ElementsAre(9, 18));
    done.clear();
    (void)vae.encodeTiled(frames.permute({3, 0, 1, 2}), tiling, record);
    EXPECT_THAT(done, ElementsAre(9, 18));
}

TEST(CogVideoXVae, StopsOnRequest) {
    const CogVideoXVae vae = fixtureVae("four_sizes");
    std::stop_source stop;
    int batches = 0;
    const auto stopAtTheSecond = [&](const at::Tensor&) {
        if (++batches == 2) stop.request_stop();
    };
    const Error error = failureOf([&] {
        vae.decodeTo(noise({4, 20, 2, 2}), stopAtTheSecond, stop.get_token());
    });
    EXPECT_EQ(error.code, ErrorCode::Cancelled);
    EXPECT_EQ(batches, 2);
    EXPECT_EQ(failureOf([&] {
                  (void)vae.encode(noise({3, 9, 8, 8}), {}, stop.get_token());
              }).code,
              ErrorCode::Cancelled);
}

TEST(CogVideoXVae, RefusesShapesItCannotTake) {
    const CogVideoXVae vae = fixtureVae("four_sizes");
    const Error rows = failureOf([&] { (void)vae.encode(noise({3, 9, 12, 8})); });
    EXPECT_EQ(rows.code, ErrorCode::InvalidData);
    EXPECT_THAT(rows.message, HasSubstr("[3, 9, 12, 8], needed [3, T, H, W] with H and W multiples of 8"));
    EXPECT_EQ(failureOf([&] { (void)vae.encode(noise({3, 0, 8, 8})); }).code, ErrorCode::InvalidData);
    const Error channels = failureOf([&] { (void)decoded(vae, noise({5, 2, 8, 8})); });
    EXPECT_EQ(channels.code, ErrorCode::InvalidData);
    EXPECT_THAT(channels.message, HasSubstr("[5, 2, 8, 8], needed [4, T, H, W]"));
}

TEST(CogVideoXVae, SaysWhichPartItWasLoadedWithout) {
    TensorMap source(readTensors("cogvideox/four_sizes.safetensors"));
    const weights::WeightScope scope(source, at::kFloat);
    const CogVideoXVae decoder(scope, fixtureConfig("four_sizes"), {.parts = VaeParts::Decoder});
    EXPECT_GT(source.unused(), 0U);
    const at::Tensor z = noise({4, 2, 2, 2});
    EXPECT_TRUE(at::equal(decoded(decoder, z), decoded(fixtureVae("four_sizes"), z)));
    EXPECT_EQ(failureOf([&] {
                  (void)decoder.encode(noise({3, 1, 8, 8}));
              }).message,
              "the VAE was loaded without its encoder");
    const CogVideoXVae encoder(scope, fixtureConfig("four_sizes"), {.parts = VaeParts::Encoder});
    EXPECT_EQ(source.unused(), 0U);
    EXPECT_EQ(failureOf([&] { (void)decoded(encoder, z); }).message,
              "the VAE was loaded without its decoder");
}

TEST(CogVideoXVae, InSixteenBitsStaysCloseToFp32) {
    const at::Tensor z = noise({4, 3, 4, 4}), exact = decoded(fixtureVae("four_sizes"), z);
    const auto errorIn = [&](at::ScalarType dtype) {
        const at::Tensor rounded = decoded(fixtureVae("four_sizes", {}, dtype), z);
        EXPECT_EQ(rounded.scalar_type(), at::kFloat);
        return (rounded - exact).pow(2).mean().sqrt().item<double>();
    };
    EXPECT_LT(errorIn(at::kBFloat16), 0.02);
    EXPECT_LT(errorIn(at::kHalf), 0.002);
}

/// Values far from zero: squares would lose what a norm is about.
TEST(CogVideoXNorm, KnowsMomentsOfValuesFarFromZero) {
    std::map<std::string, at::Tensor> parameters{{"weight", at::ones({16})}, {"bias", at::zeros({16})}};
    TensorMap source(parameters);
    const Norm norm({weights::WeightScope(source, at::kFloat)}, Norm::Of::Frames,
                    {.channels = 16, .groups = 2, .eps = 1e-6});
    const at::Tensor x = noise({3, 9, 7, 16}) + 1000;
    const at::Tensor groups = x.to(at::kDouble).view({-1, 2, 8}).permute({1, 0, 2}).reshape({2, -1});
    const auto [variance, mean] = at::var_mean(groups, at::IntArrayRef{1}, 0, true);
    const at::Tensor normed =
        ((groups - mean) / (variance + 1e-6).sqrt()).view({2, -1, 8}).permute({1, 0, 2}).reshape(x.sizes());
    EXPECT_LT(relativeError(norm.over(x, {}).forwardSilu(x).to(at::kDouble), at::silu(normed)), 2e-4);
}

}  // namespace
}  // namespace reelgrid::vae::cogvideox
