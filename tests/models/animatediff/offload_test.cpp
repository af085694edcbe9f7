// AnimateDiff with its UNet's blocks outside of the device's memory.

#include <gmock/gmock.h>

#include "core/base/result.h"
#include "core/catalog/model_folder.h"
#include "core/machine/local_machine.h"
#include "core/models/animatediff/unet.h"
#include "core/models/animatediff/video_model.h"
#include "core/pipeline/render_memory.h"
#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/animatediff/tiny_model.h"
#include "tests/models/wan/sdpa_dispatcher.h"
#include "tests/vae/counting_allocator.h"

namespace reelgrid::models::animatediff {
namespace {

using denoising::Encoders;
using denoising::Offload;

/// Two passes of a tiny UNet that was loaded so.
at::Tensor noiseOf(const std::string& name, at::ScalarType dtype, BlockResidence residence,
                   const MotionOptions& options = {}) {
    const c10::InferenceMode inference;
    const auto config = UnetConfig::from(weights::ModelConfig::read(kFixtures / name / "unet"));
    const auto motion = MotionConfig::from(weights::ModelConfig::read(kFixtures / name / "motion_adapter"));
    weights::SafetensorsFolder image(kFixtures / name / "unet"), adapter(kFixtures / name / "motion_adapter");
    const MotionUnet unet(config, weights::WeightScope(image, dtype), motion,
                          weights::WeightScope(adapter, dtype), options, {.residence = residence});
    at::manual_seed(11);
    // Of an odd size, so that the way up isn't all doubling.
    at::Tensor latents = at::randn({1, config.inChannels, 4, 7, 10});
    const at::Tensor text = at::randn({1, 7, config.crossAttentionDim});
    wan::SdpaDispatcher dispatcher;
    latents = latents + unet.forward(latents, unet.embedTimestep(900), text, dispatcher);
    return unet.forward(latents, unet.embedTimestep(300), text, dispatcher);
}

TEST(AnimateDiffBlocks, GiveTheSameBitsWhereverTheirWeightsLie) {
    const MotionOptions inParts{.skippedBlocks = {"up0"}, .framesTogether = 3};
    for (const std::string name : {"v1", "v2"})
        for (const auto dtype : {at::kFloat, at::kBFloat16})
            for (const MotionOptions& options : {MotionOptions{}, inParts}) {
                const at::Tensor held = noiseOf(name, dtype, BlockResidence::Held, options);
                for (const auto residence : {BlockResidence::Windowed, BlockResidence::Streamed})
                    EXPECT_TRUE(at::equal(noiseOf(name, dtype, residence, options), held))
                        << name << " in " << dtype;
            }
}

struct MeasuredUnet {
    std::uint64_t blocks = 0;  ///< what it says of its blocks
    std::int64_t most = 0;     ///< of all tensors at once, from before it was loaded to behind a pass
};

/// One whose weights are much more than a pass takes.
MeasuredUnet measured(const UnetConfig& config, const MotionConfig& motion, BlockResidence residence) {
    const c10::InferenceMode inference;
    MeasuredUnet found;
    const at::Tensor latents = at::zeros({1, 4, 2, 8, 8}), text = at::zeros({1, 7, 32});
    vae::ConstantWeights source;
    wan::SdpaDispatcher dispatcher;
    found.most = vae::CountingAllocator::mostDuring([&] {
        const weights::WeightScope scope(source, at::kFloat);
        const MotionUnet unet(config, scope, motion, scope, {}, {.residence = residence});
        (void)unet.forward(latents, unet.embedTimestep(500), text, dispatcher);
        found.blocks = unet.blockBytes();
    });
    return found;
}

TEST(AnimateDiffBlocks, AreNotAllThereAtOnce) {
    UnetConfig config;
    config.blockChannels = {64, 96, 128, 128};
    config.crossAttentionDim = 32;
    MotionConfig motion;
    motion.blockChannels = config.blockChannels;
    const auto told = [&](BlockResidence residence) {
        return double(
            MotionUnet::weightBytes(config, motion, at::kFloat, at::kCPU, {.residence = residence}));
    };
    const MeasuredUnet held = measured(config, motion, BlockResidence::Held),
                       windowed = measured(config, motion, BlockResidence::Windowed),
                       streamed = measured(config, motion, BlockResidence::Streamed);
    EXPECT_LT(windowed.blocks * 4, held.blocks);
    EXPECT_LT(streamed.most, held.most / 3) << "a few of them at the same time";
    // Two buffers as large as the largest; the last place has been used last.
    const double largest = double(windowed.blocks) / 2;
    EXPECT_LE(double(streamed.blocks), largest);
    EXPECT_NEAR(
        (told(BlockResidence::Held) - told(BlockResidence::Windowed)) / double(held.blocks - windowed.blocks),
        1, 0.03);
    EXPECT_NEAR((told(BlockResidence::Windowed) - told(BlockResidence::Streamed)) / largest, 1, 0.03);
}

TEST(AnimateDiffBlocks, OfStableDiffusionInAWindowTakeAQuarterOfTheWeights) {
    const auto bytes = [](BlockResidence residence) {
        return MotionUnet::weightBytes(UnetConfig::stableDiffusion15(), {}, at::kHalf, at::kCUDA,
                                       {.residence = residence});
    };
    EXPECT_LT(4 * bytes(BlockResidence::Windowed), bytes(BlockResidence::Held));
    RecordProperty("held", std::to_string(bytes(BlockResidence::Held)));
    RecordProperty("windowed", std::to_string(bytes(BlockResidence::Windowed)));
}

class AnimateDiffOffload : public testing::Test {
  protected:
    TinyModel m_tiny{TinyModel::Motion::Inside};
    pipeline::Renderer m_renderer;

    [[nodiscard]] protocol::RenderRequest request() const {
        protocol::RenderRequest asked = tinyRequest("ddim");
        asked.model = m_tiny.folder().string();
        asked.output = (m_tiny.folder() / "clip.mp4").string();
        return asked;
    }
    result::Manifest rendered(protocol::RenderRequest asked, const char* offload) {
        asked.offload = offload;
        const auto clip = m_renderer.render(asked, {}, {});
        EXPECT_TRUE(clip) << (clip ? "" : clip.error().message);
        return result::readClipResult(asked.output).manifest;
    }
};

TEST_F(AnimateDiffOffload, MakesTheSameFramesAndSaysSo) {
    protocol::RenderRequest asked = request();
    for (const auto& loras : {std::vector<std::string>{},
                              {(kFixtures / "lora/kohya.safetensors").string() + ":0.8",
                               (kFixtures / "lora/motion.safetensors").string()}}) {
        asked.lora = loras;
        const result::Manifest held = rendered(asked, "none"), streamed = rendered(asked, "blocks");
        EXPECT_EQ(held.memory->offload, "none");
        EXPECT_EQ(streamed.memory->offload, "blocks");
        EXPECT_EQ(streamed.settings->offload, "blocks");
        EXPECT_LT(*streamed.memory->predictedPeak, *held.memory->predictedPeak);
        EXPECT_EQ(streamed.framesSha256, held.framesSha256);
    }
}

TEST_F(AnimateDiffOffload, RefusesALoraThatBelongsNowhereBeforeItRenders) {
    const std::filesystem::path file = m_tiny.folder() / "stray_lora.safetensors";
    weights::writeHashedSafetensors(
        file, {{"down_blocks.9.motion_modules.0.proj_in.lora_B.weight", at::zeros({2, 2})}})
        .value();
    protocol::RenderRequest asked = request();
    asked.lora = {file.string()};
    asked.offload = "blocks";
    const auto clip = m_renderer.render(asked, {}, {});
    ASSERT_FALSE(clip);
    EXPECT_THAT(clip.error().message, testing::HasSubstr("down_blocks.9.motion_modules.0.proj_in"));
}

TEST_F(AnimateDiffOffload, IsChosenWhereTheDeviceHasNotRoom) {
    const auto model = catalog::readModelFolder(m_tiny.folder()).value();
    protocol::RenderRequest asked = request();
    // Tiles, which would come first, aren't what is asked about.
    asked.vaeTiling = protocol::kTilingOff;
    const auto settings = catalog::resolveSettings(asked, model, machine::LocalMachine().now()).value();
    const auto choiceOf = [&](std::uint64_t available) {
        return pipeline::chooseMemoryFor(model, settings, {}, available);
    };
    constexpr std::uint64_t kPlenty = std::uint64_t{1} << 40;
    EXPECT_EQ(choiceOf(kPlenty).offload, Offload::None);
    const std::uint64_t held =
        forecastMemory(model, settings, {.encoders = Encoders::FreedAfterUse}, kPlenty).peak;
    EXPECT_EQ(choiceOf(held).offload, Offload::None);
    EXPECT_EQ(choiceOf(held - 1).offload, Offload::Blocks);
    EXPECT_LT(choiceOf(held - 1).forecast->peak, held);
}

/// What is foretold is of the motion modules that will be loaded.
TEST(AnimateDiffForecast, RefusesAnAdapterThatDoesNotFit) {
    const TinyModel tiny(TinyModel::Motion::Apart);
    const auto model = catalog::readModel({.base = tiny.folder(),
                                           .parts = {{"motion_adapter", kFixtures / "v2/motion_adapter"}}})
                           .value();
    const auto settings =
        catalog::resolveSettings(tinyRequest("ddim"), model, machine::LocalMachine().now()).value();
    try {
        (void)forecastMemory(model, settings, {}, std::uint64_t{1} << 40);
        ADD_FAILURE() << "it was foretold";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message,
                    testing::HasSubstr("its blocks have 12, 24 channels, the model's 16, 24, 32"));
    }
}

}  // namespace
}  // namespace reelgrid::models::animatediff
