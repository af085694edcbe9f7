#include <gmock/gmock.h>

#include "core/base/result.h"
#include "core/vae/svd/svd_vae.h"
#include "tests/models/svd/svd_fixtures.h"
#include "tests/vae/counting_allocator.h"
#include "tests/weights/made_up_weights.h"

namespace reelgrid::vae::svd {
namespace {

using models::svd::errorAgainst;
using models::svd::Recorded;

SvdVae tinySvdVae(SvdVaeOptions options = {}, at::ScalarType dtype = at::kFloat) {
    weights::MadeUpWeights weights;
    return {weights::WeightScope(weights, dtype), SvdVaeConfig::from(models::svd::svdConfig("vae")), options};
}

class SvdVaeParity : public testing::TestWithParam<ConvEngine> {};

TEST_P(SvdVaeParity, DecodesClipsAsTheReference) {
    const SvdVae vae = tinySvdVae({.engine = GetParam()});
    Recorded recorded("vae");
    for (const std::string index : {"0", "1", "2"}) {
        const at::Tensor reference = recorded(index + ".y").clamp(-1, 1);
        const at::Tensor made = decodedClip(vae, recorded(index + ".z"), reference.size(0));
        const double error = errorAgainst(made, reference);
        RecordProperty("relative_error_" + index, std::to_string(error));
        EXPECT_LE(error, 1e-4) << index;
    }
}

TEST_P(SvdVaeParity, EncodesPicturesAsTheReference) {
    const SvdVae vae = tinySvdVae({.parts = VaeParts::Encoder, .engine = GetParam()});
    Recorded recorded("vae");
    const LatentMoments moments = vae.encode(recorded("x"));
    EXPECT_LE(errorAgainst(moments.mean_CTHW, recorded("mean")), 1e-4);
    EXPECT_LE(errorAgainst(moments.logvar_CTHW, recorded("logvar")), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Engines, SvdVaeParity, testing::Values(ConvEngine::Fastest, ConvEngine::Libtorch));

TEST(SvdVaeDecoding, StaysCloseIn16Bit) {
    Recorded recorded("vae");
    const at::Tensor reference = recorded("1.y").clamp(-1, 1);
    for (const auto& [dtype, most] : {std::pair{at::kBFloat16, 0.1}, {at::kHalf, 0.02}}) {
        const double error = errorAgainst(decodedClip(tinySvdVae({}, dtype), recorded("1.z"), 5), reference);
        EXPECT_LT(error, most) << dtype;
        EXPECT_GT(error, 1e-5) << dtype << " was not used";
    }
}

/// In fp16 the encoder computes as in fp32.
TEST(SvdVaeDecoding, EncodesInFp32WhereTheRestIsFp16) {
    Recorded recorded("vae");
    const at::Tensor mean = tinySvdVae({}, at::kHalf).encode(recorded("x")).mean_CTHW;
    EXPECT_LE(errorAgainst(mean, recorded("mean")), 1e-4);
    EXPECT_GT(errorAgainst(tinySvdVae({}, at::kBFloat16).encode(recorded("x")).mean_CTHW, recorded("mean")),
              1e-4);
}

TEST(SvdVaeTiles, AreTheWholeWhereThereIsOne) {
    const SvdVae vae = tinySvdVae();
    Recorded recorded("vae");
    const at::Tensor z = recorded("1.z");
    int last = 0;
    const auto count = [&](std::int64_t done, std::int64_t) { last = int(done); };
    EXPECT_TRUE(at::equal(vae.decodeTiled(z, vae.tilingOf(64), count), decodedClip(vae, z, 5)));
    EXPECT_EQ(last, 1);
    const at::Tensor wide = weights::madeUp("wide", {4, 2, 12, 20});
    const at::Tensor tiled = vae.decodeTiled(wide, vae.tilingOf(32), count);
    EXPECT_EQ(tiled.sizes(), (std::vector<std::int64_t>{2, 48, 80, 3}));
    EXPECT_GT(last, 3);
    EXPECT_LT((tiled - decodedClip(vae, wide, 2)).abs().mean().item<double>(), 0.3);
}

TEST(SvdVaeDecoding, RefusesOtherShapesAndEndsWhenAsked) {
    const SvdVae vae = tinySvdVae();
    const auto failure = [](const std::function<void()>& run) {
        try {
            run();
        } catch (const Failure& failed) {
            return failed.error().message;
        }
        return std::string("no failure");
    };
    const auto drop = [](const at::Tensor&) {};
    EXPECT_THAT(failure([&] {
                    vae.decodeTo(at::zeros({3, 2, 4, 4}), drop);
                }),
                testing::HasSubstr("[3, 2, 4, 4], needed [4, frames"));
    EXPECT_THAT(failure([&] {
                    (void)vae.encode(at::zeros({3, 1, 6, 8}));
                }),
                testing::HasSubstr("multiples of 4"));
    EXPECT_THAT(failure([&] {
                    (void)tinySvdVae({.parts = VaeParts::Decoder}).encode(at::zeros({3, 1, 8, 8}));
                }),
                testing::HasSubstr("without its encoder"));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(failure([&] { vae.decodeTo(at::zeros({4, 1, 4, 4}), drop, stop.get_token()); }), "cancelled");
}

TEST(SvdVaeConfigs, RefuseWhatTheyCannotDoNamingTheKey) {
    using nlohmann::json;
    for (const json& change : {json{{"_class_name", "AutoencoderKL"}},
                               {{"block_out_channels", {48}}},
                               {{"in_channels", 4}},
                               {{"scaling_factor", 0}},
                               {{"layers_per_block", 0}}}) {
        json config{{"block_out_channels", {32, 64}}};
        config.update(change);
        try {
            (void)SvdVaeConfig::from(weights::ModelConfig(config, "config.json"));
            ADD_FAILURE() << change;
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, testing::HasSubstr("config.json: " + change.begin().key()));
        }
    }
}

/// What is said of memory before a pass is what its tensors take.
TEST(SvdVaeMemory, IsForetold) {
    const SvdVaeConfig config = SvdVaeConfig::from(models::svd::svdConfig("vae"));
    const auto told = SvdVae::described(config, {});
    const SvdVae vae = tinySvdVae();
    const at::Tensor z = weights::madeUp("z", {4, 6, 16, 24}), x = weights::madeUp("x", {3, 1, 96, 160});
    const double decode =
        double(CountingAllocator::mostDuring([&] { vae.decodeTo(z, [](const at::Tensor&) {}); }));
    const double encode = double(CountingAllocator::mostDuring([&] { (void)vae.encode(x); }));
    const double decodeTold = double(told->layersToDecode({6, 64, 96}).livePeak()),
                 encodeTold = double(told->layersToEncode({1, 96, 160}).livePeak());
    RecordProperty("decode_ratio", std::to_string(decodeTold / decode));
    RecordProperty("encode_ratio", std::to_string(encodeTold / encode));
    EXPECT_GE(decodeTold, 0.9 * decode);
    EXPECT_LE(decodeTold, 1.2 * decode);
    EXPECT_GE(encodeTold, 0.9 * encode);
    EXPECT_LE(encodeTold, 1.2 * encode);
    // Beside tensors a process keeps what it freed, and the clip that waits.
    EXPECT_GE(double(told->bytesToDecode({6, 64, 96})), decodeTold);
    EXPECT_LT(told->bytesToDecode({2, 64, 96}), told->bytesToDecode({6, 64, 96}));
    EXPECT_GT(told->weightBytes(), 0U);
}

/// Frames of 1024×576 at once in fp16, and the peak that decoding them took on an H200, weights included:
/// docs/log/measurements.md, 2026-11-24.
TEST(OfficialSvdVae, TakesWhatAGpuMeasured) {
    const models::svd::OfficialPart official("vae");
    const auto vae =
        SvdVae::described(SvdVaeConfig::from(official.config), {at::kHalf, at::kCUDA}, VaeParts::Decoder);
    for (const auto& [frames, gibibytes] : {std::pair{14, 11.97}, {2, 1.84}, {1, 1.00}}) {
        const double told = double(vae->bytesToDecode({frames, 576, 1024}) + vae->weightBytes());
        EXPECT_NEAR(told / double(1 << 30), gibibytes, 0.04 * gibibytes) << frames << " frames";
    }
}

TEST(OfficialSvdVae, HasTheReferencesNamesAndShapes) {
    const models::svd::OfficialPart official("vae");
    weights::RecordingWeights asked;
    const SvdVae vae(weights::WeightScope(asked, at::kHalf), SvdVaeConfig::from(official.config));
    const models::svd::Parameters requests(asked.requests().begin(), asked.requests().end());
    EXPECT_EQ(requests.size(), asked.requests().size()) << "a parameter was asked for twice";
    EXPECT_EQ(requests, official.parameters);
    EXPECT_EQ(vae.shape().spatialFactor, 8);
}

}  // namespace
}  // namespace reelgrid::vae::svd
