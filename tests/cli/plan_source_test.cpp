#include "app/cli/plan_source.h"

#include <gmock/gmock.h>

namespace reelgrid::cli {
namespace {

using catalog::RenderSettings;
using result::ClipResult;
using testing::HasSubstr;

RenderSettings onGpu() {
    RenderSettings settings;
    settings.device = "cuda:0";
    settings.dtype = "bf16";
    settings.linear = "bf16";
    return settings;
}

/// A clip of `settings` in four steps.
ClipResult clipOf(const RenderSettings& settings) {
    ClipResult clip;
    clip.manifest.settings = settings;
    clip.manifest.device = "cuda:1";
    clip.timings.emplace_back().steps = {1, 1, 1, 1};
    return clip;
}

std::string whyNot(const ClipResult& clip) {
    return whyNotPlannedFrom(clip, onGpu());
}

TEST(PlanSource, TakesAClipThatWasRenderedAsIsPlanned) {
    EXPECT_EQ(whyNot(clipOf(onGpu())), "");
    RenderSettings other = onGpu();
    other.prompt = "something else";
    other.width = 512;
    other.slaTopk = 0.3;  // of a backend that isn't asked for
    EXPECT_EQ(whyNot(clipOf(other)), "");
}

TEST(PlanSource, NamesEachSettingThatIsNotAsPlanned) {
    RenderSettings other = onGpu();
    other.attentionType = "sla";
    other.linear = "int8";
    other.dtype = "fp16";
    ClipResult clip = clipOf(other);
    clip.manifest.device = "cpu";
    const std::string why = whyNot(clip);
    EXPECT_THAT(why, HasSubstr(R"(attention_type "sla" (planned: "sdpa"))"));
    EXPECT_THAT(why, HasSubstr(R"(linear "int8" (planned: "bf16"))"));
    EXPECT_THAT(why, HasSubstr(R"(dtype "fp16" (planned: "bf16"))"));
    EXPECT_THAT(why, HasSubstr(R"(device "cpu" (planned: "gpu"))"));
    EXPECT_THAT(why, testing::Not(HasSubstr("\n")));
}

TEST(PlanSource, RefusesWhatRanInThePlaceOfWhatWasAskedFor) {
    ClipResult clip = clipOf(onGpu());
    auto& call = clip.manifest.attention.emplace_back();
    call.requested = "sdpa";
    call.used = "fav2";
    EXPECT_THAT(whyNot(clip), HasSubstr("attention by fav2 in the place of sdpa"));
    call.kind = protocol::ModuleKind::Cross;
    EXPECT_EQ(whyNot(clip), "") << "that isn't what is planned";
    clip.manifest.gemms = result::GemmRecord{"fp8", "bf16", "no e4m3"};
    EXPECT_THAT(whyNot(clip), HasSubstr("linear layers in bf16 in the place of fp8"));
}

TEST(PlanSource, RefusesTimesThatHaveSomethingElseInThem) {
    ClipResult clip = clipOf(onGpu());
    clip.manifest.profile.emplace();
    EXPECT_THAT(whyNot(clip), HasSubstr("it was profiled"));
    clip.manifest.profile.reset();
    clip.manifest.settings->saveInputs = true;
    EXPECT_THAT(whyNot(clip), HasSubstr("without --save-inputs was needed"));
    clip.manifest.settings->saveInputs = false;
    clip.manifest.memory = result::MemoryRecord{.offload = "blocks"};
    EXPECT_THAT(whyNot(clip), HasSubstr("--offload blocks"));
    clip.manifest.memory.reset();
    clip.manifest.settings->ulyssesDegree = 2;
    EXPECT_THAT(whyNot(clip), HasSubstr("by 2 ranks; one was needed"));
    clip.manifest.settings->ulyssesDegree.reset();
    clip.manifest.engine = "diffusers 0.40.0";
    EXPECT_THAT(whyNot(clip), HasSubstr("rendered by diffusers 0.40.0"));
}

TEST(PlanSource, RefusesStepsOfWhichAStartCanNotBeTold) {
    ClipResult clip = clipOf(onGpu());
    clip.timings.back().steps = {1};
    EXPECT_THAT(whyNot(clip),
                HasSubstr("of 1 denoising steps what starting took can't be told apart; 4 steps "
                          "or --num-repetitions 2 were needed"));
    clip.timings.push_back(clip.timings.back());
    EXPECT_EQ(whyNot(clip), "") << "the second repetition was warm";
}

TEST(PlanSource, LeavesOutStepsThatAStartMadeSlow) {
    result::Timing timing;
    timing.steps = {20, 2, 2, 2};
    EXPECT_DOUBLE_EQ(usualStepOf(timing).seconds, 2);
    EXPECT_EQ(usualStepOf(timing).attention, 0) << "not timed apart";
}

TEST(PlanSource, TakesAttentionFromTheStepsThatWereMeasuredByPart) {
    result::Timing timing;
    timing.steps = {2, 2, 2, 2};
    timing.stepParts = {{}, {{"self_attention", 0.5}, {"other", 1.5}}, {}, {}};
    EXPECT_DOUBLE_EQ(usualStepOf(timing).attention, 0.5) << "of one step, not of four";
}

}  // namespace
}  // namespace reelgrid::cli
