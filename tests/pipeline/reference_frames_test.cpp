#include "core/pipeline/reference_frames.h"

#include <gtest/gtest.h>

#include <functional>

namespace reelgrid::pipeline {
namespace {

catalog::RenderSettings settingsOf(const std::string& attentionType) {
    catalog::RenderSettings settings;
    settings.task = "t2v";
    settings.prompt = "a red car";
    settings.width = 256;
    settings.height = 144;
    settings.numFrames = 33;
    settings.fps = 16;
    settings.numInferenceSteps = 20;
    settings.guidanceScale = 2.5;
    settings.seed = 42;
    settings.dtype = "bf16";
    settings.device = "cpu";
    settings.vaeDtype = "fp32";
    settings.vaeTiling = "on";
    settings.vaeTilePx = 128;
    settings.attentionType = attentionType;
    return settings;
}

const media::RgbVideo kFrames{.width = 1, .height = 1, .fps = {16, 1}, .pixels = {1, 2, 3}};

TEST(ReferenceFrames, MatchTheSameRenderWithAnotherBackend) {
    ReferenceFrames reference;
    EXPECT_EQ(reference.matching("model", settingsOf("fav2")), nullptr) << "there is none yet";
    reference.offer("model", settingsOf("sdpa"), kFrames, "5d");
    ASSERT_NE(reference.matching("model", settingsOf("fav2")), nullptr);
    EXPECT_EQ(reference.matching("model", settingsOf("fav2"))->pixels, kFrames.pixels);
    EXPECT_EQ(reference.clipSha256(), "5d");
    EXPECT_EQ(reference.matching("model", settingsOf("sdpa")), nullptr) << "itself";
    EXPECT_EQ(reference.matching("other model", settingsOf("fav2")), nullptr);
}

TEST(ReferenceFrames, DoNotMatchARenderThatDiffersInAnythingElse) {
    using Change = std::function<void(catalog::RenderSettings&)>;
    const std::vector<std::pair<const char*, Change>> changes{
        {"task", [](auto& s) { s.task = "i2v"; }},
        {"prompt", [](auto& s) { s.prompt = "a blue car"; }},
        {"picture", [](auto& s) { s.imgFilePath = "/a.png"; }},
        {"last picture", [](auto& s) { s.lastImgFilePath = "/a.png"; }},
        {"how the picture is fitted", [](auto& s) { s.pictureFit = "stretch"; }},
        {"guidance of the second expert", [](auto& s) { s.guidanceScale2 = 3; }},
        {"negative prompt", [](auto& s) { s.negativePrompt = "blurry"; }},
        {"width", [](auto& s) { s.width = 128; }},
        {"height", [](auto& s) { s.height = 128; }},
        {"frames", [](auto& s) { s.numFrames = 17; }},
        {"steps", [](auto& s) { s.numInferenceSteps = 19; }},
        {"guidance", [](auto& s) { s.guidanceScale = 2.5000001; }},
        {"seed", [](auto& s) { s.seed = 43; }},
        {"dtype", [](auto& s) { s.dtype = "fp32"; }},
        {"VAE's dtype", [](auto& s) { s.vaeDtype = "bf16"; }},
        {"VAE in tiles", [](auto& s) { s.vaeTiling = "off"; }},
        {"size of the VAE's tiles", [](auto& s) { s.vaeTilePx = 192; }},
        {"precision of fp32", [](auto& s) { s.fp32Precision = "tf32"; }},
        {"generator", [](auto& s) { s.generator = "cuda"; }},
        {"device", [](auto& s) { s.device = "cuda:0"; }},
        {"scheduler", [](auto& s) { s.scheduler = "euler"; }},
        {"flow shift", [](auto& s) { s.flowShift = 3; }},
        {"first noise level", [](auto& s) { s.sigmaMax = 1600; }},
        {"boundary between experts", [](auto& s) { s.boundary = 0.8; }},
        {"another VAE", [](auto& s) { s.vae = "/vae.pth"; }},
        {"another text encoder", [](auto& s) { s.textEncoder = "/t5.pth"; }},
        {"another second expert", [](auto& s) { s.transformer2 = "/low.pth"; }},
        {"motion adapter", [](auto& s) { s.motionAdapter = "/mm.ckpt"; }},
        {"blocks without motion", [](auto& s) { s.motionAdapterSkip = {"up1"}; }},
        {"clip skip", [](auto& s) { s.clipSkip = 1; }},
        {"temporal alpha", [](auto& s) { s.temporalAlpha = 0.5; }},
        {"windows", [](auto& s) { s.contextFrames = 8; }},
        {"loop", [](auto& s) { s.loop = true; }},
        {"prompts at frames", [](auto& s) { s.promptTravel = "8: a dog"; }},
        {"clip before", [](auto& s) { s.chainFrom = "/a.safetensors"; }},
        {"FreeInit", [](auto& s) { s.freeInit = 3; }},
    };
    ReferenceFrames reference;
    reference.offer("model", settingsOf("sdpa"), kFrames, "5d");
    for (const auto& [what, change] : changes) {
        catalog::RenderSettings settings = settingsOf("fav2");
        change(settings);
        EXPECT_EQ(reference.matching("model", settings), nullptr) << what;
    }
}

TEST(ReferenceFrames, MatchWhateverDoesNotDecideThePicture) {
    ReferenceFrames reference;
    reference.offer("model", settingsOf("sdpa"), kFrames, "5d");
    catalog::RenderSettings settings = settingsOf("fav2");
    settings.numRepetitions = 3;
    settings.fps = 24;
    settings.attentionPolicy.rules = {{.backend = "sdpa", .steps = protocol::IndexRange{0, 1}}};
    EXPECT_NE(reference.matching("model", settings), nullptr);
}

TEST(ReferenceFrames, OfAWholeDecodeMatchWhateverTilesWouldBe) {
    ReferenceFrames reference;
    catalog::RenderSettings whole = settingsOf("sdpa");
    whole.vaeTiling = "off";
    reference.offer("model", whole, kFrames, "5d");
    whole.attentionType = "fav2";
    whole.vaeTilePx = 512;
    EXPECT_NE(reference.matching("model", whole), nullptr);
}

TEST(ReferenceFrames, AreOnlyThoseOfSdpaThroughout) {
    ReferenceFrames reference;
    reference.offer("model", settingsOf("sagev1"), kFrames, "5d");
    catalog::RenderSettings mixed = settingsOf("sdpa");
    mixed.attentionPolicy.rules = {{.backend = "fav2", .steps = protocol::IndexRange{0, 1}}};
    reference.offer("model", mixed, kFrames, "5d");
    EXPECT_EQ(reference.matching("model", settingsOf("fav2")), nullptr);
}

}  // namespace
}  // namespace reelgrid::pipeline
