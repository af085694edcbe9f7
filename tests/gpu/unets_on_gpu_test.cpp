// The UNets, their autoencoders and their layers on a GPU beside the same on the CPU, which other tests hold
// to the reference.

#include "core/attention/graphed_passes.h"
#include "core/attention/make_dispatcher.h"
#include "core/execution/fp32_precision.h"
#include "core/models/animatediff/unet.h"
#include "core/models/svd/unet.h"
#include "core/protocol/render_fields.h"
#include "core/vae/frame_conv.h"
#include "core/vae/image/image_vae.h"
#include "core/vae/svd/svd_vae.h"
#include "tests/gpu/gpu.h"
#include "tests/weights/made_up_weights.h"

namespace reelgrid::models {
namespace {

using weights::WeightScope;

constexpr const char* kBackends[]{"sdpa", "fav2", "fav3"};

class UnetsOnGpu : public OnGpu {
  protected:
    void SetUp() override {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        execution::setFp32Precision(protocol::kIeee);
        at::manual_seed(11);
    }
    WeightScope scopeOn(const execution::Execution& where, at::ScalarType dtype) {
        return {m_weights, dtype, where.device};
    }
    static std::unique_ptr<attention::Dispatcher> dispatcherOf(const std::string& backend,
                                                               const execution::Execution& where) {
        return attention::makeDispatcher(attention::Policy(backend), where).value();
    }

    weights::MadeUpWeights m_weights;
    execution::Execution m_cpu;
};

struct MovingPictures {
    animatediff::UnetConfig config;
    animatediff::MotionConfig motion;
    at::Tensor latents = at::randn({1, 4, 6, 20, 12}), text = at::randn({1, 9, 48});

    MovingPictures() {
        using Kind = animatediff::UnetConfig::BlockKind;
        config.blockChannels = motion.blockChannels = {64, 96};
        config.blockKinds = {Kind::CrossAttention, Kind::Residual};
        config.heads = motion.heads = {4, 4};
        config.crossAttentionDim = 48;
    }
    at::Tensor pass(const WeightScope& scope, attention::Dispatcher& dispatcher,
                    const animatediff::MotionOptions& options = {}) const {
        const animatediff::MotionUnet unet(config, scope, motion, scope / "motion", options);
        const at::Device device = scope.device();
        return unet.forward(latents.to(device), unet.embedTimestep(481), text.to(device), dispatcher);
    }
};

TEST_F(UnetsOnGpu, MotionUnetIsTheCpus) {
    const MovingPictures pictures;
    const at::Tensor exact = pictures.pass(scopeOn(m_cpu, at::kFloat), *dispatcherOf("sdpa", m_cpu));
    for (const char* backend : kBackends) {
        const auto dispatcher = dispatcherOf(backend, gpu);
        EXPECT_LT(relativeError(pictures.pass(scopeOn(gpu, at::kFloat), *dispatcher), exact), 1e-4)
            << backend;
        for (const auto dtype : {at::kHalf, at::kBFloat16})
            EXPECT_GT(cosine(pictures.pass(scopeOn(gpu, dtype), *dispatcher), exact),
                      dtype == at::kHalf ? 0.9999 : 0.999)
                << backend;
    }
}

TEST_F(UnetsOnGpu, MotionUnetInWindowsAndPartsIsTheCpus) {
    const MovingPictures pictures;
    animatediff::MotionOptions windows, parts;
    windows.manner.windows = animatediff::FrameWindows{};
    windows.manner.windows->length = 4;
    parts.framesTogether = 4;
    for (const auto& options : {windows, parts}) {
        const at::Tensor exact =
            pictures.pass(scopeOn(m_cpu, at::kFloat), *dispatcherOf("sdpa", m_cpu), options);
        EXPECT_LT(relativeError(pictures.pass(scopeOn(gpu, at::kFloat), *dispatcherOf("fav3", gpu), options),
                                exact),
                  1e-4);
    }
}

struct VideoOfPicture {
    svd::VideoUnetConfig config;
    at::Tensor latents = at::randn({1, 8, 5, 20, 12}), picture = at::randn({1, 1, 48});

    VideoOfPicture() {
        using Kind = svd::VideoUnetConfig::BlockKind;
        config.blockChannels = {64, 96};
        config.blockKinds = {Kind::CrossAttention, Kind::Residual};
        config.heads = {2, 4};
        config.crossAttentionDim = 48;
    }
    at::Tensor pass(const WeightScope& scope, attention::Dispatcher& dispatcher) const {
        const svd::VideoUnet unet(config, scope);
        const at::Device device = scope.device();
        return unet.forward(latents.to(device), unet.embedTime(0.4, {}), picture.to(device), dispatcher);
    }
};

TEST_F(UnetsOnGpu, VideoUnetIsTheCpus) {
    VideoOfPicture video;
    for (const std::int64_t tokens : {1, 3}) {
        video.picture = at::randn({1, tokens, 48});
        const at::Tensor exact = video.pass(scopeOn(m_cpu, at::kFloat), *dispatcherOf("sdpa", m_cpu));
        for (const char* backend : kBackends) {
            const auto dispatcher = dispatcherOf(backend, gpu);
            EXPECT_LT(relativeError(video.pass(scopeOn(gpu, at::kFloat), *dispatcher), exact), 1e-4)
                << backend;
            for (const auto dtype : {at::kHalf, at::kBFloat16})
                EXPECT_GT(cosine(video.pass(scopeOn(gpu, dtype), *dispatcher), exact),
                          dtype == at::kHalf ? 0.9999 : 0.999)
                    << backend;
        }
    }
}

/// A pass that waited for the device, or made a tensor anew on the CPU, could not be recorded.
TEST_F(UnetsOnGpu, PassesAreReplayedAsGraphsWithTheSameBits) {
    const VideoOfPicture video;
    const MovingPictures pictures;
    const svd::VideoUnet ofPicture(video.config, scopeOn(gpu, at::kHalf) / "of_picture");
    const auto scope = scopeOn(gpu, at::kHalf);
    const animatediff::MotionUnet moving(pictures.config, scope, pictures.motion, scope / "motion");
    const auto dispatcher = dispatcherOf("sdpa", gpu);
    const auto replays = [&](const auto& unet, at::Tensor input, at::Tensor told, at::Tensor time,
                             const at::Tensor& otherTime) {
        input = input.to(gpu.device);
        told = told.to(gpu.device);
        attention::GraphedPasses graphed(gpu);
        const auto forward = [&] { return unet.forward(input, time, told, *dispatcher); };
        dispatcher->beginPass(0, attention::GuidanceBranch::Conditional);
        (void)graphed.run(&told, {&input, &time}, forward, *dispatcher);
        time = otherTime;
        const at::Tensor called = forward().clone();
        dispatcher->beginPass(1, attention::GuidanceBranch::Conditional);
        EXPECT_TRUE(at::equal(graphed.run(&told, {&input, &time}, forward, *dispatcher), called));
    };
    replays(ofPicture, video.latents, video.picture, ofPicture.embedTime(1, {}), ofPicture.embedTime(-1, {}));
    replays(moving, pictures.latents, pictures.text, moving.embedTimestep(900), moving.embedTimestep(20));
}

/// While places take turns in two buffers, each is what it is where all stay on the device.
TEST_F(UnetsOnGpu, PassesWithBlocksInHostMemoryHaveTheSameBits) {
    const VideoOfPicture video;
    const MovingPictures pictures;
    const auto dispatcher = dispatcherOf("sdpa", gpu);
    const BlockOptions window{.residence = BlockResidence::Windowed};
    const auto passesAreEqual = [&](const auto& held, const auto& windowed, at::Tensor input, at::Tensor told,
                                    const std::vector<at::Tensor>& times) {
        input = input.to(gpu.device);
        told = told.to(gpu.device);
        // The first passes bring what the later ones find in the buffers.
        for (const at::Tensor& time : times)
            EXPECT_TRUE(at::equal(windowed.forward(input, time, told, *dispatcher),
                                  held.forward(input, time, told, *dispatcher)));
        EXPECT_LT(windowed.blockBytes(), held.blockBytes());
    };
    for (const auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
        const auto scope = scopeOn(gpu, dtype);
        const svd::VideoUnet ofPicture(video.config, scope / "of_picture"),
            ofPictureInTurns(video.config, scope / "of_picture", window);
        passesAreEqual(ofPicture, ofPictureInTurns, video.latents, video.picture,
                       {ofPicture.embedTime(1, {}), ofPicture.embedTime(-1, {}), ofPicture.embedTime(0, {})});
        const animatediff::MotionUnet moving(pictures.config, scope, pictures.motion, scope / "motion"),
            movingInTurns(pictures.config, scope, pictures.motion, scope / "motion", {}, window);
        passesAreEqual(moving, movingInTurns, pictures.latents, pictures.text,
                       {moving.embedTimestep(900), moving.embedTimestep(481), moving.embedTimestep(20)});
    }
}

TEST_F(UnetsOnGpu, ConvolutionsAlongTimeAreWhatFloat64Gives) {
    struct Clip {
        std::int64_t frames, rows, columns, in, out;
    };
    for (const auto& [frames, rows, columns, in, out] :
         {Clip{1, 3, 5, 32, 32}, {2, 7, 3, 64, 32}, {14, 9, 16, 320, 320}, {5, 8, 8, 3, 3}})
        for (const auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
            const std::string name = "conv_" + std::to_string(in) + "_" + std::to_string(out);
            const vae::FrameConv conv({scopeOn(gpu, dtype) / name}, in, out, 0.5);
            const at::Tensor x = at::randn({frames, rows, columns, in}).to(dtype),
                             residual = at::randn({frames, rows, columns, out}).to(dtype);
            const auto exactOf = [&](const char* part, at::IntArrayRef shape) {
                return m_weights.require(name + part, shape).to(dtype).to(at::kDouble) * 0.5;
            };
            const at::Tensor exact = at::conv3d(x.to(at::kDouble).permute({3, 0, 1, 2}).unsqueeze(0),
                                                exactOf(".weight", {out, in, 3, 1, 1}),
                                                exactOf(".bias", {out}), 1, at::IntArrayRef{1, 0, 0})[0]
                                         .permute({1, 2, 3, 0}) +
                                     residual.to(at::kDouble);
            const at::Tensor made = conv.forward(x.to(gpu.device), residual.to(gpu.device));
            EXPECT_LT(relativeError(made, exact), dtype == at::kFloat  ? 1e-5
                                                  : dtype == at::kHalf ? 2e-3
                                                                       : 1.5e-2)
                << frames << " " << in << " " << at::toString(dtype);
        }
}

TEST_F(UnetsOnGpu, AutoencodersDecodeAsOnTheCpu) {
    vae::svd::SvdVaeConfig video;
    video.image.blockChannels = {32, 64};
    vae::image::ImageVaeConfig image;
    image.blockChannels = {32, 64};
    const at::Tensor z = at::randn({4, 3, 10, 6});
    const auto decodeBoth = [&](const execution::Execution& where, at::ScalarType dtype) {
        const at::Tensor there = z.to(where.device);
        const vae::svd::SvdVae ofVideo(scopeOn(where, dtype), video, {.parts = vae::VaeParts::Decoder});
        const vae::image::ImageVae ofImages(scopeOn(where, dtype), image, {.parts = vae::VaeParts::Decoder});
        return std::pair{vae::decodedClip(ofVideo, there, 3), vae::decodedClip(ofImages, there, 3)};
    };
    const auto [video32, images32] = decodeBoth(m_cpu, at::kFloat);
    const auto [videoThere, imagesThere] = decodeBoth(gpu, at::kFloat);
    EXPECT_LT(relativeError(videoThere, video32), 1e-4);
    EXPECT_LT(relativeError(imagesThere, images32), 1e-4);
    const auto [video16, images16] = decodeBoth(gpu, at::kHalf);
    EXPECT_GT(cosine(video16, video32), 0.9999);
    EXPECT_GT(cosine(images16, images32), 0.9999);
}

}  // namespace
}  // namespace reelgrid::models
