#include <gmock/gmock.h>

#include "core/base/result.h"
#include "core/models/svd/unet.h"
#include "tests/models/svd/svd_fixtures.h"
#include "tests/models/wan/sdpa_dispatcher.h"
#include "tests/weights/made_up_weights.h"

namespace reelgrid::models::svd {
namespace {

using attention::ModuleKind;

struct VideoCall {
    std::string model;
    int index;
};
void PrintTo(const VideoCall& call, std::ostream* out) {
    *out << call.model << " call " << call.index;
}

VideoUnet tinyVideoUnet(const std::string& name, at::ScalarType dtype) {
    weights::MadeUpWeights weights;
    return {VideoUnetConfig::from(svdConfig("unet_" + name)), weights::WeightScope(weights, dtype)};
}

class VideoUnetParity : public testing::TestWithParam<VideoCall> {
  protected:
    at::Tensor read(const std::string& name) {
        return m_recorded(std::to_string(GetParam().index) + "." + name);
    }
    at::Tensor run(at::ScalarType dtype) {
        const VideoUnet unet = tinyVideoUnet(GetParam().model, dtype);
        const at::Tensor added = read("added")[0];
        const Motion motion{added[0].item<double>(), added[1].item<double>(), added[2].item<double>()};
        const at::Tensor time = unet.embedTime(read("timestep").item<double>(), motion);
        return unet.forward(read("latents"), time, read("image"), m_dispatcher).to(at::kFloat);
    }

    Recorded m_recorded{"unet_" + GetParam().model};
    wan::SdpaDispatcher m_dispatcher;
};

TEST_P(VideoUnetParity, EqualsTheReferenceInFp32) {
    const double error = errorAgainst(run(at::kFloat), read("fp32"));
    RecordProperty("relative_error", std::to_string(error));
    EXPECT_LE(error, 1e-5);
}

TEST_P(VideoUnetParity, StaysWithinTheReferencesOwnRoundingIn16Bit) {
    const at::Tensor exact = read("fp32");
    for (const auto& [dtype, name] : {std::pair{at::kBFloat16, "bf16"}, {at::kHalf, "fp16"}}) {
        const double reference = errorAgainst(read(name), exact), error = errorAgainst(run(dtype), exact);
        EXPECT_LE(error, 2 * reference + 2e-3) << name;
        EXPECT_GT(error, 1e-6) << name << " was not used";
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, VideoUnetParity,
                         testing::Values(VideoCall{"small", 0}, VideoCall{"small", 1}, VideoCall{"small", 2},
                                         VideoCall{"deep", 0}, VideoCall{"deep", 1}));

TEST(VideoUnetCalls, AskForAttentionByItsKindAndPlace) {
    wan::SdpaDispatcher dispatcher;
    const VideoUnet unet = tinyVideoUnet("deep", at::kFloat);
    (void)unet.forward(at::zeros({1, 8, 2, 8, 8}), unet.embedTime(1, {}), at::zeros({1, 1, 24}), dispatcher);
    std::map<ModuleKind, std::vector<int>> places;
    for (const auto& site : dispatcher.sites) places[site.kind].push_back(site.layer);
    EXPECT_EQ(unet.config().places(), 16);
    // Two turns in each: the blocks of the full and the half size (places 0 to 3), the middle, the way up.
    std::vector<int> twice;
    for (const int place : {0, 1, 2, 3, 6, 10, 11, 12, 13, 14, 15}) twice.insert(twice.end(), {place, place});
    EXPECT_EQ(places[ModuleKind::Self], twice);
    EXPECT_EQ(places[ModuleKind::Temporal], twice);
    EXPECT_EQ(places[ModuleKind::Cross].size(), 2 * twice.size());
}

/// Frames know of each other, and the picture and the motion tell.
TEST(VideoUnetCalls, DependOnEverythingThatIsTold) {
    wan::SdpaDispatcher dispatcher;
    const VideoUnet unet = tinyVideoUnet("small", at::kFloat);
    const at::Tensor latents = weights::madeUp("latents", {1, 8, 3, 8, 8}),
                     picture = weights::madeUp("picture", {1, 1, 24});
    const auto run = [&](const at::Tensor& x, const at::Tensor& seen, const Motion& motion) {
        return unet.forward(x, unet.embedTime(1, motion), seen, dispatcher);
    };
    const at::Tensor usual = run(latents, picture, {});
    at::Tensor other = latents.clone();
    other.select(2, 2).mul_(2);
    EXPECT_GT(errorAgainst(run(other, picture, {}).select(2, 0), usual.select(2, 0)), 1e-3);
    EXPECT_GT(errorAgainst(run(latents, -picture, {}), usual), 1e-3);
    for (const Motion& motion : {Motion{.fps = 7}, {.bucket = 30}, {.noise = 0.5}})
        EXPECT_GT(errorAgainst(run(latents, picture, motion), usual), 1e-4);
}

std::string videoUnetFailure(const std::function<void()>& run) {
    try {
        run();
    } catch (const Failure& failure) {
        return failure.error().message;
    }
    return "no failure";
}

TEST(VideoUnetCalls, RefuseWhatCannotBeTakenNamingIt) {
    wan::SdpaDispatcher dispatcher;
    const VideoUnet unet = tinyVideoUnet("small", at::kFloat);
    const auto forward = [&](at::IntArrayRef latents, at::IntArrayRef picture) {
        return videoUnetFailure([&] {
            (void)unet.forward(at::zeros(latents), unet.embedTime(1, {}), at::zeros(picture), dispatcher);
        });
    };
    EXPECT_THAT(forward({1, 4, 2, 8, 8}, {1, 1, 24}), testing::HasSubstr("[1, 4, 2, 8, 8], [1, 8, frames"));
    EXPECT_THAT(forward({8, 2, 8, 8}, {1, 1, 24}), testing::HasSubstr("[8, 2, 8, 8]"));
    EXPECT_THAT(forward({1, 8, 2, 8, 8}, {2, 1, 24}), testing::HasSubstr("[2, 1, 24], [1, tokens, 24]"));
}

TEST(VideoUnetConfigs, RefuseWhatTheyCannotDoNamingTheKey) {
    using nlohmann::json;
    for (const json& change :
         {json{{"_class_name", "UNet2DConditionModel"}},
          {{"in_channels", 9}},
          {{"block_out_channels", {33}}},
          {{"num_attention_heads", {7, 10, 20, 20}}},
          {{"num_attention_heads", {5, 10}}},
          {{"layers_per_block", {1, 2, 2, 2}}},
          {{"addition_time_embed_dim", 255}},
          {{"projection_class_embeddings_input_dim", 512}},
          {{"down_block_types", {"DownBlockSpatioTemporal"}}},
          {{"down_block_types", {"DownBlock2D", "DownBlock2D", "DownBlock2D", "DownBlock2D"}}},
          {{"up_block_types",
            {"UpBlockSpatioTemporal", "UpBlockSpatioTemporal", "UpBlockSpatioTemporal",
             "UpBlockSpatioTemporal"}}},
          {{"num_frames", 0}}})
        EXPECT_THAT(videoUnetFailure(
                        [&] { (void)VideoUnetConfig::from(weights::ModelConfig(change, "config.json")); }),
                    testing::HasSubstr("config.json: " + change.begin().key()));
}

TEST(OfficialSvdUnet, HasTheReferencesNamesAndShapes) {
    const OfficialPart official("unet");
    weights::RecordingWeights asked;
    const VideoUnet unet(VideoUnetConfig::from(official.config), weights::WeightScope(asked, at::kHalf));
    const Parameters requests(asked.requests().begin(), asked.requests().end());
    EXPECT_EQ(requests.size(), asked.requests().size()) << "a parameter was asked for twice";
    EXPECT_EQ(requests, official.parameters);
    EXPECT_EQ(unet.config().places(), 21);
    // What a configuration doesn't say is the published models'.
    weights::RecordingWeights usual;
    const VideoUnet unsaid(VideoUnetConfig{}, weights::WeightScope(usual, at::kHalf));
    EXPECT_EQ(usual.requests(), asked.requests());
}

}  // namespace
}  // namespace reelgrid::models::svd
