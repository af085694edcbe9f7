#include "core/catalog/render_settings.h"

#include <gmock/gmock.h>

#include <functional>

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
    const auto settings = resolveSettings(request, demoLike());
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->device, "cpu");
    EXPECT_EQ(settings->vaeDtype, "fp32");
    EXPECT_EQ(settings->fp32Precision, "ieee");
    EXPECT_EQ(settings->generator, "cpu");
}

TEST(RenderSettings, AModelOfOneSizeTakesNoOther) {
    families::ModelInfo model = demoLike();
    model.isSizeFixed = true;
    RenderRequest request;
    EXPECT_TRUE(resolveSettings(request, model));
    request.width = 272;
    const auto settings = resolveSettings(request, model);
    ASSERT_FALSE(settings);
    EXPECT_EQ(settings.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(settings.error().message, testing::HasSubstr("--width 272: 256, this model's only one,"));
}

TEST(RenderSettings, FillsTheModelsDefaults) {
    const auto settings = resolveSettings({}, demoLike());
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->width, 256);
    EXPECT_EQ(settings->numFrames, 33);
    EXPECT_EQ(settings->seed, 42u);
}

TEST(RenderSettings, AProfileHasTheReferencesScheduleUnlessSaidOtherwise) {
    RenderRequest request;
    EXPECT_FALSE(resolveSettings(request, demoLike())->profileWait) << "not profiled";
    request.profileOutput = "a";
    request.profileActive = 3;
    const auto settings = resolveSettings(request, demoLike());
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->profileWait, 2);
    EXPECT_EQ(settings->profileWarmup, 2);
    EXPECT_EQ(settings->profileActive, 3);
}

TEST(RenderSettings, AProfileFitsIntoTheStepsAndTheDecode) {
    RenderRequest request;
    request.profileOutput = "a";
    request.profileWarmup = 0;
    request.numInferenceSteps = 4;
    const auto fits = [&](int wait, int active) {
        request.profileWait = wait;
        request.profileActive = active;
        return resolveSettings(request, demoLike()).ok();
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
    for (const char* field : {"img_file_path", "last_img_file_path", "force_output_size", "guidance_scale_2"})
        model.extraFields.push_back(field);
    return model;
}

std::string complaintOf(const RenderRequest& request) {
    const auto settings = resolveSettings(request, fromPictures());
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

    RenderRequest forced;
    forced.forceOutputSize = true;
    forced.imgFilePath = "/a.png";
    EXPECT_FALSE(resolveSettings(forced, demoLike()));
}

TEST(RenderSettings, OneGuidanceScaleIsBothExpertsAndNoneIsTheModels) {
    RenderRequest request;
    request.imgFilePath = "/a.png";
    EXPECT_EQ(resolveSettings(request, fromPictures())->guidanceScale2, 3);
    request.guidanceScale = 7;
    EXPECT_EQ(resolveSettings(request, fromPictures())->guidanceScale2, 7);
    request.guidanceScale2 = 2;
    EXPECT_EQ(resolveSettings(request, fromPictures())->guidanceScale2, 2);
    EXPECT_FALSE(resolveSettings({}, demoLike())->guidanceScale2) << "it has one expert";
}

TEST(RenderSettings, TheFlowShiftIsTheModelsWhereItHasOne) {
    RenderRequest request;
    request.imgFilePath = "/a.png";
    EXPECT_EQ(resolveSettings(request, fromPictures())->flowShift, 12);
    request.flowShift = 3;
    EXPECT_EQ(resolveSettings(request, fromPictures())->flowShift, 3);
    EXPECT_FALSE(resolveSettings({}, demoLike())->flowShift);
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
    const auto settings = resolveSettings(request, demoLike());
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

}  // namespace
}  // namespace reelgrid::catalog
