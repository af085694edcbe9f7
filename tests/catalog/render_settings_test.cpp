#include "core/catalog/render_settings.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/pending_file.h"
#include "core/catalog/recipe.h"
#include "tests/machine/machines.h"

namespace reelgrid::catalog {
namespace {

using protocol::RenderRequest;

families::ModelInfo demoLike() {
    families::ModelInfo model;
    model.tasks = {{.name = "t2v"}};
    model.sizes.sizeMultiple = 16;
    model.frames = {.stride = 4, .first = 1, .most = 4093};
    model.extraFields = {"negative_prompt", "guidance_scale", "scheduler", "flow_shift"};
    model.schedulers = {"unipc", "euler"};
    model.defaults.task = "t2v";
    model.defaults.fps = 16;
    model.defaults.numInferenceSteps = 50;
    model.defaults.guidanceScale = 5;
    model.defaults.width = 256;
    model.defaults.height = 144;
    model.defaults.numFrames = 33;
    model.layers = 30;
    return model;
}

TEST(RenderSettings, OnTheCpuDecodeInFp32AndMultiplyExactly) {
    RenderRequest request;
    request.device = "cpu";
    const auto settings = resolveSettings(request, demoLike(), machine::withoutGpu());
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->device, "cpu");
    EXPECT_EQ(settings->vaeDtype, "fp32");
    EXPECT_EQ(settings->fp32Precision, "ieee");
    EXPECT_EQ(settings->generator, "cpu");
}

TEST(RenderSettings, AreThoseOfTheMachineThatIsAskedFor) {
    const machine::Machine there = machine::withH100(), here = machine::withoutGpu();
    EXPECT_EQ(resolveSettings({}, demoLike(), there)->device, "cuda:0");
    EXPECT_EQ(resolveSettings({}, demoLike(), there)->dtype, "bf16");
    EXPECT_EQ(resolveSettings({}, demoLike(), here)->device, "cpu");
    EXPECT_EQ(resolveSettings({}, demoLike(), here)->dtype, "fp32") << "its CPU has no bf16 products";

    RenderRequest request;
    request.device = "cuda:0";
    request.useTorchCompile = true;
    EXPECT_TRUE(resolveSettings(request, demoLike(), there));
    const auto refused = resolveSettings(request, demoLike(), here);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_EQ(refused.error().message, "--device cuda:0: no NVIDIA driver");
    request.device = "cuda:1";
    EXPECT_THAT(resolveSettings(request, demoLike(), there).error().message,
                testing::HasSubstr("this machine has 1 GPU"));
}

TEST(RenderSettings, AFullGpuLeavesTheRenderToTheCpu) {
    machine::Machine full = machine::withH100();
    full.gpus.gpus.front().freeBytes = 1'000'000'000;
    families::ModelInfo large = demoLike();
    large.components = {{.name = "transformer", .className = "", .bytes = 2'000'000'000, .dtypes = {}}};
    EXPECT_EQ(resolveSettings({}, large, full)->device, "cpu");
    EXPECT_EQ(resolveSettings({}, large, machine::withH100())->device, "cuda:0");
}

TEST(RenderSettings, APolicyMayAskForWhatTheMachineHas) {
    RenderRequest request;
    request.attentionPolicy.rules = {{.backend = "theirs"}};
    machine::Machine there = machine::withoutGpu();
    EXPECT_THAT(resolveSettings(request, demoLike(), there).error().message,
                testing::HasSubstr("backend \"theirs\": one of sdpa, "));
    there.backends.push_back({.name = "theirs", .onCpu = true});
    EXPECT_TRUE(resolveSettings(request, demoLike(), there));
}

TEST(RenderSettings, OptionsAreForLayersThatTheModelHas) {
    RenderRequest request;
    request.attentionType = "sparge";
    families::ModelInfo model = demoLike();
    model.layers = 8;
    const auto refusal = [&](const std::string& option) {
        request.backendOption = {option};
        const auto settings = resolveSettings(request, model, machine::withoutGpu());
        EXPECT_TRUE(settings || settings.error().code == ErrorCode::BadUsage);
        return settings ? "" : settings.error().message;
    };
    EXPECT_EQ(refusal("sparge.cdfthreshd@7=0.5"), "");
    EXPECT_EQ(refusal("sparge.cdfthreshd@0-7=0.5"), "");
    EXPECT_EQ(refusal("sparge.cdfthreshd@99=0.5"),
              "--backend-option sparge.cdfthreshd@99=0.5: sparge.cdfthreshd@99: 0 to 7 (there are 8 layers) "
              "was needed behind the @");
    EXPECT_THAT(refusal("sparge.cdfthreshd@7-8=0.5"), testing::HasSubstr("there are 8 layers"));
    EXPECT_THAT(refusal("sparge.cdfthreshd@0-99=0.5"), testing::HasSubstr("there are 8 layers"));
}

TEST(RenderSettings, AModelOfOneSizeTakesNoOther) {
    families::ModelInfo model = demoLike();
    model.isSizeFixed = true;
    RenderRequest request;
    EXPECT_TRUE(resolveSettings(request, model, machine::withoutGpu()));
    request.width = 272;
    const auto settings = resolveSettings(request, model, machine::withoutGpu());
    ASSERT_FALSE(settings);
    EXPECT_EQ(settings.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(settings.error().message, testing::HasSubstr("--width 272: 256, this model's only one,"));
}

/// Nobody asked for it by an option.
TEST(RenderSettings, ADefaultOfTheModelsFileThatTheDeviceLacksIsToldByTheFile) {
    families::ModelInfo model = demoLike();
    model.folder = "/models/mine";
    model.defaults.dtype = "fp16";
    RenderRequest request;
    const auto refused = resolveSettings(request, model, machine::withoutGpu());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_EQ(refused.error().message,
              "/models/mine/reelgrid.json: dtype \"fp16\": on the CPU fp32 or bf16 was needed; --dtype takes "
              "its place");
    request.dtype = "fp32";
    EXPECT_TRUE(resolveSettings(request, model, machine::withoutGpu()));
    request.dtype = "fp16";
    EXPECT_THAT(resolveSettings(request, model, machine::withoutGpu()).error().message,
                testing::StartsWith("--dtype fp16: on the CPU"));
    EXPECT_EQ(resolveSettings({}, model, machine::withH100())->dtype, "fp16");
}

/// A generator of its own, so that a failure can be repeated.
class Choices {
  public:
    explicit Choices(unsigned seed) : m_engine(seed) {}
    [[nodiscard]] bool coin() { return m_engine() % 2 == 0; }
    [[nodiscard]] std::size_t below(std::size_t bound) { return m_engine() % bound; }

    void fill(bool& field) { field = coin(); }
    void fill(int& field) { field = pick(std::array{0, 1, -1, 8, 64, 65, 300, 16384, 16385, 1 << 30}); }
    void fill(std::uint64_t& field) { field = pick(std::array{0UL, 42UL, ~0UL}); }
    void fill(double& field) {
        field =
            pick(std::array{0.0, 0.1, 1.0, 5.5, 100.0, 1e-300, 1e300, -1.0, double(NAN), double(INFINITY)});
    }
    void fill(std::string& field) {
        field = pick(std::array<std::string, 8>{"", "t2v", "on", "cpu", "fp32", "\xc3\xa9 \"quoted\" \n",
                                                std::string("a\0b", 3), std::string(70000, 'x')});
    }
    void fill(std::vector<std::string>& field) {
        field.assign(pick(std::array{0, 1, 2, 255, 256, 257, 300}), "/a.safetensors:0.5");
    }
    void fill(protocol::AttentionPolicy&) {}
    void fill(protocol::StepCache& field) {
        using Method = protocol::StepCache::Method;
        field = pick(std::array{0.0, 0.28, -1.0, 2.0, double(NAN)});
        if (field.threshold > 0.2 && field.threshold < 1)
            field.method = pick(std::array{Method::FirstBlock, Method::TeaCache, Method::MagCache});
        if (field.needsCurve() && coin()) field.curve = {0.5, 1};
    }
    template <class T>
    void fill(std::optional<T>& field) {
        if (coin()) fill(field.emplace());
    }

  private:
    template <class T, std::size_t kCount>
    T pick(const std::array<T, kCount>& values) {
        return values[below(kCount)];
    }
    std::mt19937 m_engine;
};

TEST(RenderSettings, RcmsSamplersGoWithoutGuidanceUnlessItIsAskedFor) {
    families::ModelInfo two = demoLike();
    two.extraFields.emplace_back("guidance_scale_2");
    two.schedulers = {"unipc", "rcm", "rcm-ode"};
    two.defaults.guidanceScale = 4;
    two.defaults.guidanceScale2 = 3;
    RenderRequest request;
    request.device = "cpu";
    const auto settings = [&] { return resolveSettings(request, two, machine::withoutGpu()).value(); };
    EXPECT_EQ(settings().guidanceScale, 4);
    EXPECT_EQ(settings().guidanceScale2, 3.0);
    request.scheduler = "unipc";
    EXPECT_EQ(settings().guidanceScale, 4);
    for (const char* rcm : {"rcm", "rcm-ode"}) {
        request.scheduler = rcm;
        EXPECT_EQ(settings().guidanceScale, 1) << rcm;
        EXPECT_FALSE(settings().guidanceScale2) << "the second expert's is the first's";
    }
    request.guidanceScale = 2.5;
    EXPECT_EQ(settings().guidanceScale, 2.5);
    EXPECT_EQ(settings().guidanceScale2, 2.5);
    request.guidanceScale.reset();
    request.guidanceScale2 = 2;
    EXPECT_EQ(settings().guidanceScale, 1);
    EXPECT_EQ(settings().guidanceScale2, 2.0);
}

TEST(RenderSettings, CoefficientsOfAnotherModelAreSaid) {
    families::ModelInfo model = demoLike();
    model.id = "mine";
    model.folder = "/models/mine";
    model.extraFields.emplace_back("step_cache");
    model.stepCacheCurves = {{2, 1}, {1, 0.9, 0.8}};
    RenderRequest request;
    request.device = "cpu";
    request.stepCache = protocol::stepCacheFrom("magcache:0.12").value();
    const auto remark = [&] {
        return stepCacheRemark(resolveSettings(request, model, machine::withoutGpu()).value(), model);
    };
    EXPECT_EQ(remark(), "");
    model.stepCacheCurves.model = "mine";
    EXPECT_EQ(remark(), "");
    model.stepCacheCurves.model = "other";
    EXPECT_EQ(remark(),
              "step cache: /models/mine/step-cache.json has coefficients of model other, this is mine; "
              "unless the two are one, others fit (tune --step-cache record)");
    request.stepCache.curve = {1, 0.9, 0.7};
    EXPECT_EQ(remark(), "") << "nobody says whose";
    request.stepCache.curveModel = "mine";
    EXPECT_EQ(remark(), "");
    request.stepCache.curveModel = "demo-cogvideox";
    EXPECT_EQ(remark(),
              "step cache: its coefficients are of model demo-cogvideox, this is mine; unless the two are "
              "one, others fit (tune --step-cache record)");
    request.stepCache = {};
    EXPECT_EQ(remark(), "");
}

TEST(RenderSettings, WhatIsAcceptedCanBeReadAgain) {
    families::ModelInfo model = demoLike();
    model.extraFields.insert(model.extraFields.end(),
                             {"vae_tiling", "vae_tile_px", "lora", "lora_2", "step_cache"});
    int accepted = 0, refused = 0;
    for (unsigned seed = 0; seed < 8000; ++seed) {
        Choices choices(seed);
        RenderRequest request;
        request.device = "cpu";
        protocol::forEachRenderField([&](const protocol::RenderField&, auto access) {
            if (choices.below(12) == 0) choices.fill(access(request));
        });
        const auto settings = resolveSettings(request, model, machine::withoutGpu());
        if (!settings) {
            EXPECT_FALSE(settings.error().message.empty());
            ++refused;
            continue;
        }
        ++accepted;
        const auto again = protocol::renderRequestFromJson(protocol::toJson(request));
        ASSERT_TRUE(again) << "seed " << seed << ": " << again.error().message;
        EXPECT_EQ(*again, request) << "seed " << seed;
        EXPECT_EQ(*resolveSettings(*again, model, machine::withoutGpu()), *settings) << "seed " << seed;
        RenderSettings kept;
        const auto read = protocol::readRenderSettings(protocol::fieldsJson(*settings), kept);
        ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
        EXPECT_EQ(kept, *settings) << "seed " << seed;
    }
    EXPECT_GT(accepted, 100);
    EXPECT_GT(refused, 100);
}

TEST(RenderSettings, LinearLayersAreMultipliedInTheDtypeUnlessTheCheckpointOrTheRequestSaysOtherwise) {
    families::ModelInfo model = demoLike();
    model.extraFields.insert(model.extraFields.end(), {"linear", "use_fp8_gemms"});
    RenderRequest request;
    request.device = "cpu";
    request.dtype = "fp32";
    const auto linear = [&] {
        const auto settings = resolveSettings(request, model, machine::withoutGpu());
        return settings ? settings->linear : settings.error().message;
    };
    EXPECT_EQ(linear(), "fp32");
    model.storesInt8 = true;
    EXPECT_EQ(linear(), "int8");
    request.linear = "fp32";
    EXPECT_EQ(linear(), "fp32");
    request.linear = "int4";
    EXPECT_EQ(linear(), "--linear int4: fp32, int8 or fp8 was needed");
    request.linear = "auto";
    request.useFp8Gemms = true;
    EXPECT_EQ(linear(), "fp8");
    request.linear = "int8";
    EXPECT_EQ(linear(), "--use-fp8-gemms: --linear is int8, one of the two was needed");
}

TEST(RenderSettings, AValueThatMeansNoneInsideIsRefusedWhereItIsGiven) {
    families::ModelInfo model = demoLike();
    model.extraFields.insert(model.extraFields.end(), {"vae_tiling", "vae_tile_px", "lora"});
    RenderRequest request;
    request.vaeTilePx = 0;
    EXPECT_THAT(resolveSettings(request, model, machine::withoutGpu()).error().message,
                testing::HasSubstr("--vae-tile-px 0: a value from 64 to 16384 was needed"));
    request = {};
    request.lora.assign(300, "/a.safetensors");
    EXPECT_THAT(resolveSettings(request, model, machine::withoutGpu()).error().message,
                testing::HasSubstr("lora has 300 entries: at most 256"));
}

TEST(RenderSettings, FillsTheModelsDefaults) {
    const auto settings = resolveSettings({}, demoLike(), machine::withoutGpu());
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->width, 256);
    EXPECT_EQ(settings->numFrames, 33);
    EXPECT_EQ(settings->seed, 42u);
}

TEST(RenderSettings, PartsOfTheWeightsNeedSeveralRanksAndBlocksThatStay) {
    families::ModelInfo model = demoLike();
    RenderRequest request;
    request.shardWeights = true;
    request.ulyssesDegree = 2;
    const auto errorOf = [&] {
        const auto settings = resolveSettings(request, model, machine::withoutGpu());
        return settings ? std::string() : settings.error().message;
    };
    EXPECT_THAT(errorOf(), testing::HasSubstr("--shard-weights")) << "a family without such blocks";
    model.extraFields.insert(model.extraFields.end(), {"ulysses_degree", "shard_weights", "offload"});
    EXPECT_EQ(errorOf(), "");
    request.offload = protocol::kOffloadBlocks;
    EXPECT_THAT(errorOf(), testing::HasSubstr("--shard-weights: --offload blocks keeps all blocks"));
    request.offload = protocol::kOffloadAuto;
    request.ulyssesDegree = std::nullopt;
    EXPECT_THAT(errorOf(), testing::HasSubstr("--shard-weights: one process holds all weights"));
}

TEST(RenderSettings, AProfileHasTheReferencesScheduleUnlessSaidOtherwise) {
    RenderRequest request;
    EXPECT_FALSE(resolveSettings(request, demoLike(), machine::withoutGpu())->profileWait) << "not profiled";
    request.profileOutput = "a";
    request.profileActive = 3;
    const auto settings = resolveSettings(request, demoLike(), machine::withoutGpu());
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->profileWait, 2);
    EXPECT_EQ(settings->profileWarmup, 2);
    EXPECT_EQ(settings->profileActive, 3);
}

TEST(RenderSettings, AProfileOfFewStepsHasAScheduleThatFits) {
    RenderRequest request;
    request.profileOutput = "a";
    for (const auto& [steps, wait, warmup] :
         {std::tuple{1, 0, 0}, {2, 0, 1}, {3, 0, 2}, {4, 1, 2}, {5, 2, 2}}) {
        request.numInferenceSteps = steps;
        const auto settings = resolveSettings(request, demoLike(), machine::withoutGpu());
        ASSERT_TRUE(settings) << settings.error().message;
        EXPECT_EQ(settings->profileWait, wait) << steps;
        EXPECT_EQ(settings->profileWarmup, warmup) << steps;
        EXPECT_EQ(settings->profileActive, 1) << steps;
    }
}

TEST(RenderSettings, AProfileFitsIntoTheStepsAndTheDecode) {
    RenderRequest request;
    request.profileOutput = "a";
    request.profileWarmup = 0;
    request.numInferenceSteps = 4;
    const auto fits = [&](int wait, int active) {
        request.profileWait = wait;
        request.profileActive = active;
        return resolveSettings(request, demoLike(), machine::withoutGpu()).ok();
    };
    EXPECT_TRUE(fits(3, 1));
    EXPECT_TRUE(fits(3, 2)) << "and the decode";
    EXPECT_FALSE(fits(3, 3));
    EXPECT_TRUE(fits(0, 5));
    EXPECT_FALSE(fits(4, 1)) << "no step would be recorded";
}

families::ModelInfo fromPictures() {
    families::ModelInfo model = demoLike();
    model.tasks = {{.name = "i2v", .prompt = families::Need::Required, .image = families::Need::Required},
                   {.name = "flf2v",
                    .prompt = families::Need::Required,
                    .image = families::Need::Required,
                    .lastImage = families::Need::Required},
                   {.name = "t2v"}};
    model.defaults.task = "i2v";
    model.defaults.guidanceScale2 = 3;
    model.defaults.flowShift = 12;
    for (const char* field :
         {"img_file_path", "last_img_file_path", "force_output_size", "picture_fit", "guidance_scale_2"})
        model.extraFields.push_back(field);
    return model;
}

std::string complaintOf(const RenderRequest& request) {
    const auto settings = resolveSettings(request, fromPictures(), machine::withoutGpu());
    return settings ? "none" : settings.error().message;
}

TEST(RenderSettings, ATaskHasThePicturesThatItNeedsAndNoOthers) {
    using testing::HasSubstr;
    RenderRequest request;
    EXPECT_THAT(complaintOf(request), HasSubstr("--img-file-path is missing: task i2v"));
    request.imgFilePath = "/a.png";
    EXPECT_EQ(complaintOf(request), "none");
    request.forceOutputSize = true;
    EXPECT_EQ(complaintOf(request), "none");
    request.lastImgFilePath = "/b.png";
    EXPECT_THAT(complaintOf(request), HasSubstr("--last-img-file-path /b.png: task i2v"));
    request.task = "flf2v";
    EXPECT_EQ(complaintOf(request), "none");
    request.numFrames = 1;
    EXPECT_THAT(complaintOf(request), HasSubstr("--num-frames 1: with --last-img-file-path at least 2"));
    request.numFrames = 5;
    request.lastImgFilePath = "";
    EXPECT_THAT(complaintOf(request), HasSubstr("--last-img-file-path \"\""));
    request.lastImgFilePath.reset();
    EXPECT_THAT(complaintOf(request), HasSubstr("--last-img-file-path is missing"));
    request.task = "t2v";
    EXPECT_THAT(complaintOf(request), HasSubstr("--img-file-path /a.png: task t2v"));
    request.imgFilePath.reset();
    EXPECT_THAT(complaintOf(request), HasSubstr("--force-output-size: --img-file-path was needed"));

    request.forceOutputSize = false;
    request.pictureFit = "stretch";
    EXPECT_THAT(complaintOf(request), HasSubstr("--picture-fit stretch: --img-file-path was needed"));

    RenderRequest forced;
    forced.forceOutputSize = true;
    forced.imgFilePath = "/a.png";
    EXPECT_FALSE(resolveSettings(forced, demoLike(), machine::withoutGpu()));
}

TEST(RenderSettings, APictureIsFittedInOneOfThreeWays) {
    RenderRequest request;
    request.imgFilePath = "/a.png";
    const auto settingsOf = [&] { return *resolveSettings(request, fromPictures(), machine::withoutGpu()); };
    EXPECT_EQ(settingsOf().pictureFit, "keep");
    for (const char* fit : {"keep", "crop", "stretch"}) {
        request.pictureFit = fit;
        EXPECT_EQ(settingsOf().pictureFit, fit);
        EXPECT_EQ(settingsOf().forceOutputSize, std::string(fit) == "crop") << "the same by its older name";
    }
    request.forceOutputSize = true;
    EXPECT_THAT(
        complaintOf(request),
        testing::HasSubstr("--force-output-size: --picture-fit is stretch, one of the two was needed"));
    request.pictureFit = "keep";
    EXPECT_EQ(settingsOf().pictureFit, "crop");
    request.forceOutputSize = false;
    families::ModelInfo ofOneSize = fromPictures();
    ofOneSize.isSizeFixed = true;
    EXPECT_EQ(resolveSettings(request, ofOneSize, machine::withoutGpu())->pictureFit, "crop")
        << "as it is done";
    request.pictureFit = "fill";
    EXPECT_THAT(complaintOf(request),
                testing::HasSubstr("--picture-fit fill: keep, crop or stretch was needed"));
}

TEST(RenderSettings, OneGuidanceScaleIsBothExpertsAndNoneIsTheModels) {
    RenderRequest request;
    request.imgFilePath = "/a.png";
    EXPECT_EQ(resolveSettings(request, fromPictures(), machine::withoutGpu())->guidanceScale2, 3);
    request.guidanceScale = 7;
    EXPECT_EQ(resolveSettings(request, fromPictures(), machine::withoutGpu())->guidanceScale2, 7);
    request.guidanceScale2 = 2;
    EXPECT_EQ(resolveSettings(request, fromPictures(), machine::withoutGpu())->guidanceScale2, 2);
    EXPECT_FALSE(resolveSettings({}, demoLike(), machine::withoutGpu())->guidanceScale2)
        << "it has one expert";
}

TEST(RenderSettings, TheFlowShiftIsTheModelsWhereItHasOne) {
    RenderRequest request;
    request.imgFilePath = "/a.png";
    EXPECT_EQ(resolveSettings(request, fromPictures(), machine::withoutGpu())->flowShift, 12);
    request.flowShift = 3;
    EXPECT_EQ(resolveSettings(request, fromPictures(), machine::withoutGpu())->flowShift, 3);
    EXPECT_FALSE(resolveSettings({}, demoLike(), machine::withoutGpu())->flowShift);
}

struct BadValue {
    const char* option;
    const char* value;
    std::function<void(RenderRequest&)> set;
};

class RejectsValue : public testing::TestWithParam<BadValue> {};

TEST_P(RejectsValue, NamingOptionAndValue) {
    RenderRequest request;
    GetParam().set(request);
    const auto settings = resolveSettings(request, demoLike(), machine::withoutGpu());
    ASSERT_FALSE(settings);
    EXPECT_EQ(settings.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(settings.error().message, testing::HasSubstr(GetParam().option));
    EXPECT_THAT(settings.error().message, testing::HasSubstr(GetParam().value));
}

void setRule(RenderRequest& request, protocol::AttentionRule rule) {
    request.attentionPolicy.rules = {{.backend = "default"}, std::move(rule)};
}

/// What a GPU may be asked for, asked of the CPU, whatever this machine has.
std::function<void(RenderRequest&)> onCpu(std::function<void(RenderRequest&)> set) {
    return [set = std::move(set)](RenderRequest& request) {
        request.device = "cpu";
        set(request);
    };
}

INSTANTIATE_TEST_SUITE_P(
    All, RejectsValue,
    testing::Values(BadValue{"--width", "250", [](RenderRequest& r) { r.width = 250; }},
                    BadValue{"--width", "0", [](RenderRequest& r) { r.width = 0; }},
                    BadValue{"--height", "-16", [](RenderRequest& r) { r.height = -16; }},
                    BadValue{"--height", "1600000", [](RenderRequest& r) { r.height = 1600000; }},
                    BadValue{"--num-frames", "32", [](RenderRequest& r) { r.numFrames = 32; }},
                    BadValue{"--num-inference-steps", "0", [](RenderRequest& r) { r.numInferenceSteps = 0; }},
                    BadValue{"--guidance-scale", "nan",
                             [](RenderRequest& r) { r.guidanceScale = 0.0 / 0.0; }},
                    BadValue{"--task", "i2v", [](RenderRequest& r) { r.task = "i2v"; }},
                    BadValue{"--dtype", "int4", [](RenderRequest& r) { r.dtype = "int4"; }},
                    BadValue{"--attention-policy: rule 2: backend", "\"fav9\": one of sdpa",
                             [](RenderRequest& r) { setRule(r, {.backend = "fav9"}); }},
                    BadValue{"--attention-policy: rule 2: layers", "30: 0 to 29",
                             [](RenderRequest& r) {
                                 setRule(r, {.backend = "fav2", .layers = protocol::IndexRange{30, 30}});
                             }},
                    BadValue{"--attention-policy: rule 2: steps", "[-13, -1]: 0 to 11",
                             [](RenderRequest& r) {
                                 r.numInferenceSteps = 12;
                                 setRule(r, {.backend = "fav2", .steps = protocol::IndexRange{-13, -1}});
                             }},
                    BadValue{"--device", "tpu", [](RenderRequest& r) { r.device = "tpu"; }},
                    BadValue{"--device", "cuda:", [](RenderRequest& r) { r.device = "cuda:"; }},
                    BadValue{"--dtype", "fp16: on the CPU fp32 or bf16",
                             onCpu([](RenderRequest& r) { r.dtype = "fp16"; })},
                    BadValue{"--vae-dtype", "fp16: on the CPU fp32 or bf16",
                             onCpu([](RenderRequest& r) { r.vaeDtype = "fp16"; })},
                    BadValue{"--fp32-precision", "tf32: on the CPU ieee",
                             onCpu([](RenderRequest& r) { r.fp32Precision = "tf32"; })},
                    BadValue{"--generator", "cuda: on the CPU cpu",
                             onCpu([](RenderRequest& r) { r.generator = "cuda"; })},
                    BadValue{"--scheduler", "ddim", [](RenderRequest& r) { r.scheduler = "ddim"; }}));

/// A recipe's file in a folder of its own.
class RecipeTest : public testing::Test {
  protected:
    std::filesystem::path m_folder =
        std::filesystem::path(testing::TempDir()) / ("recipe_" + std::to_string(getpid()));
    void TearDown() override { std::filesystem::remove_all(m_folder); }

    [[nodiscard]] std::string file(const std::string& json) const {
        EXPECT_TRUE(writeFile(m_folder / "mine.json", json));
        return (m_folder / "mine.json").string();
    }
};

TEST_F(RecipeTest, StandsWhereTheRequestSaysNothing) {
    ASSERT_TRUE(writeFile(m_folder / "fast.safetensors", "weights"));
    const auto recipe =
        findRecipe(file(R"({"name": "fast", "lora": ["fast.safetensors:0.7", "a/b/c.safetensors"],
        "num_inference_steps": 4, "guidance_scale": 1, "scheduler": "euler", "flow_shift": 5})"));
    ASSERT_TRUE(recipe) << recipe.error().message;
    RenderRequest request;
    request.numInferenceSteps = 6;
    apply(*recipe, request);
    EXPECT_EQ(request.recipe, "fast");
    EXPECT_EQ(request.numInferenceSteps, 6) << "which was given";
    EXPECT_EQ(request.guidanceScale, 1);
    EXPECT_EQ(request.scheduler, "euler");
    EXPECT_EQ(request.flowShift, 5);
    EXPECT_FALSE(request.sigmaMax);
    EXPECT_EQ(request.lora, (std::vector<std::string>{(m_folder / "fast.safetensors").string() + ":0.7",
                                                      "a/b/c.safetensors"}))
        << "beside the recipe, and of the hub";
}

TEST_F(RecipeTest, RefusesWhatItCanNotSay) {
    const auto refusal = [&](const std::string& json) {
        const Error error = findRecipe(file(json)).error();
        EXPECT_EQ(error.code, ErrorCode::BadUsage) << json;
        return error.message;
    };
    EXPECT_THAT(refusal(R"({"prompt": "a car"})"),
                testing::HasSubstr("prompt \"a car\": one of name, title"));
    EXPECT_THAT(refusal(R"({"num_inference_steps": "four"})"), testing::HasSubstr("num_inference_steps"));
    EXPECT_THAT(refusal(R"({"lora": ["fast.safetensors:much"]})"), testing::HasSubstr("mine.json"));
    EXPECT_THAT(refusal(R"({"title": 3, "flow_shift": 5})"), testing::HasSubstr("title 3: text was needed"));
    EXPECT_THAT(refusal(R"({"flow_shift": 5, "flow_shift": 3})"), testing::HasSubstr("is there twice"));
    EXPECT_THAT(refusal("5 steps"), testing::HasSubstr("mine.json: not JSON"));
    EXPECT_THAT(refusal("[]"), testing::HasSubstr("mine.json"));
    EXPECT_THAT(findRecipe("slowest").error().message,
                testing::HasSubstr("--recipe slowest: one of causvid, "));
}

TEST_F(RecipeTest, RefusesEmptyTextsAndNull) {
    const auto refusal = [&](const std::string& json) {
        const auto recipe = findRecipe(file(json));
        EXPECT_FALSE(recipe) << json;
        if (recipe) return std::string();
        EXPECT_EQ(recipe.error().code, ErrorCode::BadUsage) << json;
        return recipe.error().message;
    };
    const std::string mine = "recipe " + (m_folder / "mine.json").string() + ": ";
    EXPECT_EQ(refusal(R"({"scheduler": "", "flow_shift": 5})"),
              mine + "scheduler \"\": some text was needed");
    EXPECT_EQ(refusal(R"({"name": "", "flow_shift": 5})"), mine + "name \"\": some text was needed");
    EXPECT_EQ(refusal(R"({"family": "", "flow_shift": 5})"), mine + "family \"\": some text was needed");
    EXPECT_EQ(refusal(R"({"lora": [""]})"), mine + "lora [\"\"]: a list without empty texts was needed");
    EXPECT_EQ(refusal(R"({"num_inference_steps": null, "flow_shift": 5})"),
              mine + "num_inference_steps null: a value was needed");
    EXPECT_TRUE(findRecipe(file(R"({"title": "", "flow_shift": 5})")));
}

TEST_F(RecipeTest, RefusesAFileThatSetsNothing) {
    for (const char* json : {"{}", R"({"name": "fast"})", R"({"title": "t", "family": "wan2.1"})",
                             R"({"lora": [], "lora_2": []})"}) {
        const auto recipe = findRecipe(file(json));
        ASSERT_FALSE(recipe) << json;
        EXPECT_EQ(recipe.error().code, ErrorCode::BadUsage) << json;
        EXPECT_EQ(recipe.error().message,
                  "recipe " + (m_folder / "mine.json").string() +
                      ": it sets nothing; one of lora, lora_2, num_inference_steps, guidance_scale, "
                      "guidance_scale_2, scheduler, flow_shift, sigma_max, boundary was needed");
    }
}

TEST(Recipes, ThatComeWithTheProgramCanBeRead) {
    const std::vector<std::string> names = recipeNames();
    EXPECT_THAT(names, testing::ElementsAre("causvid", "fastwan", "lightx2v-i2v", "lightx2v-t2v"));
    for (const std::string& name : names) {
        const auto recipe = findRecipe(name);
        ASSERT_TRUE(recipe) << recipe.error().message;
        EXPECT_EQ(recipe->name, name);
        EXPECT_EQ(recipe->fields.guidanceScale, 1) << name;
        EXPECT_FALSE(recipe->fields.lora.empty() || recipe->title.empty() || recipe->family.empty()) << name;
    }
}

}  // namespace
}  // namespace reelgrid::catalog
