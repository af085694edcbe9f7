#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stop_token>

#include "core/vae/wan21/scaled_stream.h"
#include "tests/vae/wan21/vae_fixture.h"

namespace reelgrid::vae::wan21 {
namespace {

using testing::HasSubstr;

at::Tensor noise(std::vector<std::int64_t> shape) {
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

TEST(WanVae, DecodesTheSameWhateverTheChunks) {
    const at::Tensor z = noise({1, 4, 6, 3, 5});
    for (const ConvEngine engine : {ConvEngine::Fastest, ConvEngine::Libtorch}) {
        const at::Tensor one =
            decodeClips(fixtureVae("two_blocks", {.engine = engine, .latentFramesPerChunk = 1}), z);
        for (const int chunk : {0, 2, 3, 100}) {
            const WanVae vae = fixtureVae("two_blocks", {.engine = engine, .latentFramesPerChunk = chunk});
            EXPECT_LT(relativeError(decodeClips(vae, z), one), 1e-5) << chunk << " latent frames a chunk";
        }
    }
}

TEST(WanVae, HandsOutEachFrameOnceAsItIsDecoded) {
    const WanVae vae = fixtureVae("two_blocks", {.latentFramesPerChunk = 1});
    const at::Tensor z = noise({4, 3, 2, 2});
    std::vector<at::Tensor> parts;
    vae.decodeTo(z, [&](const at::Tensor& frames_THWC) { parts.push_back(frames_THWC.clone()); });
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[0].size(0), 1);
    EXPECT_EQ(parts[1].size(0), 4);
    EXPECT_TRUE(at::equal(at::cat(parts, 0).permute({3, 0, 1, 2}), decodeClips(vae, z.unsqueeze(0))[0]));
}

/// fp16 takes these weights.
TEST(WanVae, GivesTheSamePicturesAndLatentsWithASmallerResidualStream) {
    for (const char* name : {"two_blocks", "two_levels_in_time", "odd_halves"}) {
        TensorMap stored(readTensors(std::string(name) + ".safetensors"));
        ScaledStream scaled(stored);
        const WanVae vae(weights::WeightScope(scaled, at::kFloat), fixtureConfig(name));
        const auto recorded = readTensors(std::string(name) + "_io.safetensors");
        EXPECT_LT(relativeError(decodeClips(vae, recorded.at("0.z")), recorded.at("0.y")), 1e-4) << name;
        EXPECT_LT(relativeError(encodeClips(vae, recorded.at("0.x")).mean_BCTHW, recorded.at("0.mean")), 1e-4)
            << name;
    }
}

TEST(WanVae, ReportsProgressInFrames) {
    const WanVae vae = fixtureVae("two_blocks", {.latentFramesPerChunk = 1});
    std::vector<std::int64_t> done;
    const auto record = [&](std::int64_t frames, std::int64_t total) {
        EXPECT_EQ(total, 9);
        done.push_back(frames);
    };
    const at::Tensor clip = decodeClips(vae, noise({1, 4, 3, 2, 2}))[0];
    (void)vae.encode(clip, record);
    EXPECT_THAT(done, testing::ElementsAre(1, 5, 9));
    done.clear();
    // One tile of one size.
    (void)vae.decodeTiled(noise({4, 3, 2, 2}), {}, record);
    EXPECT_THAT(done, testing::ElementsAre(1, 5, 9));
}

TEST(WanVae, StopsDecodingOnRequest) {
    const WanVae vae = fixtureVae("two_blocks", {.latentFramesPerChunk = 1});
    std::stop_source stop;
    int chunks = 0;
    const Error error = failureOf([&] {
        vae.decodeTo(
            noise({4, 50, 2, 2}),
            [&](const at::Tensor&) {
                if (++chunks == 2) stop.request_stop();
            },
            stop.get_token());
    });
    EXPECT_EQ(error.code, ErrorCode::Cancelled);
    EXPECT_EQ(chunks, 2);
}

TEST(WanVae, StopsEncodingOnRequest) {
    std::stop_source stop;
    stop.request_stop();
    const WanVae vae = fixtureVae("two_blocks");
    const Error error = failureOf([&] { (void)vae.encode(noise({3, 5, 8, 8}), {}, stop.get_token()); });
    EXPECT_EQ(error.code, ErrorCode::Cancelled);
}

TEST(WanVae, RefusesShapesItCannotTake) {
    const WanVae vae = fixtureVae("two_blocks");
    const Error frames = failureOf([&] { (void)vae.encode(noise({3, 4, 8, 8})); });
    EXPECT_EQ(frames.code, ErrorCode::InvalidData);
    EXPECT_THAT(frames.message, HasSubstr("[3, 4, 8, 8], needed [3, 1 + 4n, H, W]"));
    EXPECT_EQ(failureOf([&] { (void)vae.encode(noise({3, 5, 8, 10})); }).code, ErrorCode::InvalidData);
    EXPECT_EQ(failureOf([&] { (void)vae.encode(noise({3, 0, 8, 8})); }).code, ErrorCode::InvalidData);
    const Error channels = failureOf([&] { vae.decodeTo(noise({5, 2, 8, 8}), [](const at::Tensor&) {}); });
    EXPECT_EQ(channels.code, ErrorCode::InvalidData);
    EXPECT_THAT(channels.message, HasSubstr("[5, 2, 8, 8], needed [4, T, H, W]"));
    EXPECT_EQ(failureOf([&] {
                  vae.decodeTo(noise({1, 4, 2, 8, 8}), [](const at::Tensor&) {});
              }).code,
              ErrorCode::InvalidData);
}

TEST(WanVae, SaysWhichPartItWasLoadedWithout) {
    TensorMap source(readTensors("two_blocks.safetensors"));
    const weights::WeightScope scope(source, at::kFloat);
    const WanVae decoder(scope, fixtureConfig("two_blocks"), {.parts = VaeParts::Decoder});
    const std::size_t encoderTensors = source.unused();
    EXPECT_GT(encoderTensors, 0u);
    const at::Tensor z = noise({1, 4, 2, 2, 2});
    EXPECT_TRUE(at::equal(decodeClips(decoder, z), decodeClips(fixtureVae("two_blocks"), z)));
    const Error error = failureOf([&] { (void)decoder.encode(noise({3, 5, 8, 8})); });
    EXPECT_EQ(error.message, "the VAE was loaded without its encoder");
    const WanVae encoder(scope, fixtureConfig("two_blocks"), {.parts = VaeParts::Encoder});
    EXPECT_EQ(failureOf([&] { (void)decodeClips(encoder, z); }).message,
              "the VAE was loaded without its decoder");
}

TEST(WanVae, NormalisesLatentsPerChannelAndBack) {
    const WanVae vae = fixtureVae("two_blocks");
    const at::Tensor z = noise({4, 2, 3, 3});
    const at::Tensor scaled = vae.normalised(z);
    const double mean = vae.config().latentsMean[2], deviation = vae.config().latentsStd[2];
    EXPECT_NEAR(scaled[2][1][0][0].item<double>(), (z[2][1][0][0].item<double>() - mean) / deviation, 1e-6);
    EXPECT_LT(relativeError(vae.denormalised(scaled), z), 1e-6);
}

TEST(WanVae, InBfloat16StaysCloseToFp32) {
    const at::Tensor z = noise({1, 4, 3, 4, 4});
    const at::Tensor exact = decodeClips(fixtureVae("two_blocks"), z);
    const at::Tensor rounded = decodeClips(fixtureVae("two_blocks", {}, at::kBFloat16), z);
    EXPECT_EQ(rounded.scalar_type(), at::kFloat);
    EXPECT_LT((rounded - exact).pow(2).mean().sqrt().item<double>(), 0.05);
}

}  // namespace
}  // namespace reelgrid::vae::wan21
