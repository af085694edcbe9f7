#include <gmock/gmock.h>

#include "core/attention/make_dispatcher.h"
#include "core/catalog/model_folder.h"
#include "core/machine/local_machine.h"
#include "core/pipeline/family_registry.h"
#include "core/pipeline/renderer.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/unfinished_render.h"
#include "kernels/backends/backend_list.h"
#include "tests/models/spoilt_copy.h"
#include "tests/models/svd/tiny_svd.h"
#include "tests/models/whole_renders.h"
#include "tests/vae/counting_allocator.h"

namespace reelgrid::models::svd {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// Latents after each step, as the reference's callback gets them.
class LatentsOfSvdSteps final : public denoising::StepObserver {
  public:
    void predicted(int /*step*/, const at::Tensor& latents, Prediction /*predict*/) override {
        before.push_back(latents);
    }
    void denoised(const at::Tensor& latents) override { before.push_back(latents); }

    std::vector<at::Tensor> before;
};

const TinySvd& tinySvd() {
    static const TinySvd model;
    return model;
}

class SvdPipelineParity : public testing::TestWithParam<std::string> {};

TEST_P(SvdPipelineParity, LatentsAndPicturesEqualTheReferences) {
    const c10::InferenceMode inference;
    const families::ModelInfo model = catalog::readModelFolder(tinySvd().folder()).value();
    const auto settings =
        catalog::resolveSettings(svdRequest(GetParam()), model, machine::LocalMachine().now()).value();
    Recorded expected(GetParam());
    const auto video = pipeline::loadModel(model, {}, {});
    const auto attention = attention::makeDispatcher("sdpa").value();
    denoising::StageClock clock({}, {});

    LatentsOfSvdSteps seen;
    const at::Tensor latents =
        denoising::denoise(*video, settings, *attention, clock, {.observers = {&seen}});
    ASSERT_EQ(seen.before.size(), std::size_t(settings.numInferenceSteps) + 1);
    for (int step = 0; step < settings.numInferenceSteps; ++step) {
        const double error =
            errorAgainst(seen.before[std::size_t(step) + 1], expected("latents." + std::to_string(step)));
        RecordProperty("latents_" + std::to_string(step), std::to_string(error * 1e6) + "e-6");
        EXPECT_LE(error, 1e-3) << step;
    }
    const media::RgbVideo frames = denoising::decode(*video, latents, settings, clock);
    ASSERT_EQ(frames.frameCount(), settings.numFrames);
    const at::Tensor reference = expected("video").to(at::kFloat);
    const at::Tensor rendered =
        at::from_blob(const_cast<std::uint8_t*>(frames.pixels.data()), reference.sizes(), at::kByte)
            .to(at::kFloat);
    EXPECT_LE((rendered - reference).abs().max().item<double>(), 1.0);
    EXPECT_EQ(clock.timing().steps.size(), std::size_t(settings.numInferenceSteps));
}

INSTANTIATE_TEST_SUITE_P(Reference, SvdPipelineParity, testing::Values("usual", "chunks", "unguided"));

TEST(SvdFacts, AreReadFromAFolder) {
    const families::ModelInfo model = catalog::readModelFolder(tinySvd().folder()).value();
    EXPECT_EQ(model.family, "svd");
    EXPECT_EQ(model.defaults.numFrames, 3);
    EXPECT_EQ(model.defaults.width, 40);
    EXPECT_EQ(model.defaults.height, 24);
    EXPECT_EQ(model.layers, 7);
    EXPECT_EQ(model.taskNames(), (std::vector<std::string>{"i2v"}));
    EXPECT_EQ(model.tasks.front().prompt, families::Need::No);
    EXPECT_TRUE(model.frames.allows(1));
    EXPECT_TRUE(model.frames.allows(26));
}

std::string refusalOf(const std::function<void(protocol::RenderRequest&)>& change) {
    const families::ModelInfo model = catalog::readModelFolder(tinySvd().folder()).value();
    protocol::RenderRequest request = svdRequest("usual");
    change(request);
    const auto settings = catalog::resolveSettings(request, model, machine::LocalMachine().now());
    return settings ? "none" : settings.error().message;
}

TEST(SvdRequests, AreCheckedAgainstTheModel) {
    using Request = protocol::RenderRequest;
    EXPECT_EQ(refusalOf([](Request&) {}), "none");
    EXPECT_THAT(refusalOf([](Request& r) { r.prompt = "a car"; }), HasSubstr("--prompt: task i2v of model"));
    EXPECT_THAT(refusalOf([](Request& r) { r.imgFilePath.reset(); }),
                HasSubstr("--img-file-path is missing"));
    EXPECT_THAT(refusalOf([](Request& r) { r.motionBucketId = 2000; }), HasSubstr("--motion-bucket-id 2000"));
    EXPECT_THAT(refusalOf([](Request& r) { r.noiseAugStrength = -1; }),
                HasSubstr("--noise-aug-strength -1: a value from 0 to 10"));
    EXPECT_THAT(refusalOf([](Request& r) { r.decodeChunkSize = 0; }), HasSubstr("--decode-chunk-size 0"));
    EXPECT_THAT(refusalOf([](Request& r) { r.guidanceScale = 2; }),
                HasSubstr("--guidance-scale: svd models have no use for it"));
    EXPECT_THAT(refusalOf([](Request& r) { r.width = 42; }), HasSubstr("--width 42: a multiple of 4"));
}

/// The frame rate is told to the model; other models' clips are only played at it.
TEST(SvdRequests, AreOfAnotherPictureAtAnotherRate) {
    const families::ModelInfo model = catalog::readModelFolder(tinySvd().folder()).value();
    auto request = svdRequest("usual");
    const auto slow = catalog::resolveSettings(request, model, machine::LocalMachine().now()).value();
    request.fps = 12;
    const auto fast = catalog::resolveSettings(request, model, machine::LocalMachine().now()).value();
    EXPECT_NE(protocol::pictureKey(slow), protocol::pictureKey(fast));
    EXPECT_EQ(slow.motionBucketId, 127);
    EXPECT_EQ(slow.guidanceScale, 3);
}

class SvdRenders : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("svd-renders_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] protocol::RenderRequest request(const std::string& clip) const {
        protocol::RenderRequest asked = svdRequest("usual");
        asked.model = tinySvd().folder().string();
        asked.numInferenceSteps = 6;
        asked.saveLatentsEvery = 2;
        asked.output = (m_folder / clip).string();
        return asked;
    }
    static result::Manifest rendered(const protocol::RenderRequest& asked) {
        return renderedClip(asked).manifest;
    }
};

/// Every backend computes self-attention, and along time and to the picture where a policy says so.
TEST_F(SvdRenders, GoThroughEveryBackend) {
    const std::string exact = rendered(request("sdpa.mp4")).framesSha256;
    for (const std::string name : {"fav2", "fav3", "fav3_fp8", "sagev1", "fav3_sage", "sla"}) {
        protocol::RenderRequest asked = request(name + ".mp4");
        asked.attentionPolicy.rules = {{.backend = name, .module = std::nullopt}};
        const result::Manifest manifest = rendered(asked);
        std::set<attention::ModuleKind> kinds;
        for (const auto& record : manifest.attention)
            if (record.requested == name && record.calls > 0) kinds.insert(record.kind);
        EXPECT_EQ(kinds.size(), 3U) << name;
        EXPECT_NE(manifest.framesSha256, "") << name;
    }
}

TEST_F(SvdRenders, GoOnWithTheSameBits) {
    const std::string whole = rendered(request("whole.mp4")).framesSha256;
    protocol::RenderRequest asked = request("clip.mp4");
    interruptAt(asked, "denoise", 3);
    EXPECT_EQ(result::readUnfinished(asked.output).value()->stepsKept, 2);
    asked.resume = true;
    const result::Manifest resumed = rendered(asked);
    EXPECT_THAT(resumed.resumedAt, ElementsAre(2));
    EXPECT_EQ(resumed.framesSha256, whole);
}

TEST_F(SvdRenders, AreTheSameWithBlocksOutsideOfTheDevicesMemory) {
    protocol::RenderRequest asked = request("held.mp4");
    asked.offload = protocol::kOffloadNone;
    const result::Manifest held = rendered(asked);
    asked = request("offloaded.mp4");
    asked.offload = protocol::kOffloadBlocks;
    const result::Manifest offloaded = rendered(asked);
    EXPECT_EQ(offloaded.framesSha256, held.framesSha256);
    EXPECT_EQ(offloaded.memory->offload, "blocks");
    EXPECT_LT(*offloaded.memory->predictedPeak, *held.memory->predictedPeak);
}

/// What is said of a pass's memory is about what its tensors take.
TEST(SvdMemory, IsForetold) {
    weights::MadeUpWeights weights;
    const auto config = VideoUnetConfig::from(svdConfig("unet_small"));
    const VideoUnet unet(config, weights::WeightScope(weights, at::kFloat));
    const auto attention = attention::makeDispatcher("sdpa").value();
    const at::Tensor latents = weights::madeUp("latents", {1, 8, 6, 24, 32}),
                     picture = weights::madeUp("picture", {1, 1, 24});
    const at::Tensor time = unet.embedTime(1, {});
    const double taken = double(
        vae::CountingAllocator::mostDuring([&] { (void)unet.forward(latents, time, picture, *attention); }));
    const double told = double(VideoUnet::passBytes(config, at::kFloat, {6, 24, 32}));
    RecordProperty("ratio", std::to_string(told / taken));
    EXPECT_GE(told, 0.9 * taken);
    EXPECT_LE(told, 1.4 * taken);
    // fp16's are half as many, and the official model's UNet has 1.52 billion of them.
    EXPECT_EQ(VideoUnet::weightBytes({}, at::kHalf, at::kCUDA), 2 * 1524623082ULL);
}

TEST(SvdRender, NoPictureComesOfWhatIsNotFinite) {
    expectFiniteChecks(tinySvd().folder(), svdRequest("usual"), {"unet", "image_encoder", "vae"}, "unet");
}

}  // namespace
}  // namespace reelgrid::models::svd
