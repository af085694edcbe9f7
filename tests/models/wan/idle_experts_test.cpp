#include "core/models/wan/idle_experts.h"

#include <gmock/gmock.h>

#include "core/catalog/model_folder.h"
#include "core/machine/local_machine.h"
#include "core/pipeline/family_registry.h"
#include "tests/models/wan/variant_model.h"

namespace reelgrid::models::wan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

families::RenderDefaults ofTwoExperts() {
    families::RenderDefaults own;
    own.guidanceScale = 4;
    own.guidanceScale2 = 3;
    return own;
}

/// What a render of four steps with these guidances is told.
std::vector<std::string> told(double first, double second, const ExpertSteps& steps) {
    catalog::RenderSettings settings;
    settings.numInferenceSteps = 4;
    settings.guidanceScale = first;
    settings.guidanceScale2 = second;
    return idleExpertSettings(settings, ofTwoExperts(), {steps, steps});
}

TEST(IdleExperts, WithoutGuidanceTheSecondsIsSaid) {
    EXPECT_THAT(told(1, 6, {2, 2}),
                ElementsAre("--guidance-scale-2 6 had no effect: a --guidance-scale of 1 is none, for both "
                            "experts; only one above 1 is"));
    EXPECT_THAT(told(1, 1, {2, 2}), IsEmpty());
    EXPECT_THAT(told(1, 1, {4, 0}), IsEmpty());
    EXPECT_THAT(told(2, 1, {2, 2}), IsEmpty()) << "a guidance that the second alone lacks";
}

TEST(IdleExperts, GuidanceOfOneThatNeverPredictsIsSaidWhereItWasChosen) {
    EXPECT_THAT(told(4, 6, {4, 0}),
                ElementsAre("--guidance-scale-2 6 had no effect: the second expert predicts in none of the 4 "
                            "steps (--boundary is where the second begins)"));
    EXPECT_THAT(told(6, 3, {4, 0}), ElementsAre(StartsWith("--guidance-scale-2 3 had no effect: ")));
    EXPECT_THAT(told(6, 3, {0, 4}),
                ElementsAre("--guidance-scale 6 had no effect: any above 1 gives the same, the first expert "
                            "predicts in none of the 4 steps (--boundary is where the second begins)"));
    for (const ExpertSteps steps : {ExpertSteps{4, 0}, ExpertSteps{0, 4}, ExpertSteps{2, 2}}) {
        EXPECT_THAT(told(4, 3, steps), IsEmpty()) << "the model's own";
        EXPECT_THAT(told(6, 6, steps), IsEmpty()) << "one for both";
    }
    EXPECT_THAT(told(6, 2, {2, 2}), IsEmpty());
}

TEST(IdleExperts, LorasOfOneThatNeverPredictsAreSaid) {
    const auto toldOf = [](std::vector<std::string> first, std::vector<std::string> second,
                           const ExpertSteps& steps) {
        catalog::RenderSettings settings;
        settings.numInferenceSteps = 4;
        settings.lora = std::move(first);
        settings.lora2 = std::move(second);
        return idleExpertSettings(settings, ofTwoExperts(), {steps, steps});
    };
    for (const char* second : {"b", "none"}) {
        EXPECT_THAT(toldOf({"a"}, {second}, {4, 0}), ElementsAre(StartsWith("--lora-2 had no effect: ")));
        EXPECT_THAT(toldOf({"a"}, {second}, {0, 4}), ElementsAre(StartsWith("--lora had no effect: ")));
        EXPECT_THAT(toldOf({"a"}, {second}, {2, 2}), IsEmpty());
    }
    for (const ExpertSteps steps : {ExpertSteps{4, 0}, ExpertSteps{0, 4}}) {
        EXPECT_THAT(toldOf({"a"}, {}, steps), IsEmpty()) << "both have it";
        EXPECT_THAT(toldOf({}, {}, steps), IsEmpty());
    }
}

TEST(IdleExperts, ABoundaryThatMovesNoStepIsSaid) {
    catalog::RenderSettings settings;
    const auto saidOf = [&](const ExpertShares& shares) {
        return idleExpertSettings(settings, ofTwoExperts(), shares);
    };
    EXPECT_THAT(saidOf({{2, 2}, {2, 2}}), IsEmpty()) << "none was asked for";
    settings.boundary = 0.8;
    EXPECT_THAT(
        saidOf({{2, 2}, {2, 2}}),
        ElementsAre("--boundary 0.8 had no effect: the model's own gives each step to the same expert"));
    EXPECT_THAT(saidOf({{2, 2}, {3, 1}}), IsEmpty());
}

TEST(IdleExperts, AModelCountsTheStepsOfItsSamplerOnEachSideOfTheBoundary) {
    const VariantModel folder("t2v-experts");
    const auto model = catalog::readModelFolder(folder.folder()).value();
    const auto video = pipeline::loadModel(model, {}, {});
    protocol::RenderRequest request = variantRequest("t2v-experts", "expected");
    const auto remarks = [&] {
        return video->remarks(
            catalog::resolveSettings(request, model, machine::LocalMachine().now()).value());
    };
    const auto ofSecond =
        StartsWith("--guidance-scale-2 6 had no effect: the second expert predicts in none");
    request.guidanceScale2 = 6;
    EXPECT_THAT(remarks(), IsEmpty()) << "steps of both";
    request.boundary = 1;
    request.guidanceScale = 5;
    EXPECT_THAT(remarks(), ElementsAre(StartsWith("--guidance-scale 5 had no effect: ")));
    request.boundary.reset();
    // So large a shift keeps both steps above the boundary.
    request.flowShift = 12;
    request.numInferenceSteps = 2;
    EXPECT_THAT(remarks(), Contains(ofSecond));
    request.guidanceScale2.reset();
    request.guidanceScale.reset();
    EXPECT_THAT(remarks(), Not(Contains(testing::HasSubstr("had no effect"))));
}

TEST(IdleExperts, WhatUmt5HasNoRoomForIsAmongTheRemarks) {
    const VariantModel folder("t2v-experts");
    const auto model = catalog::readModelFolder(folder.folder()).value();
    protocol::RenderRequest request = variantRequest("t2v-experts", "expected");
    request.prompt.clear();
    for (int i = 0; i < 511; ++i) request.prompt += "red ";
    request.prompt += "car";
    EXPECT_THAT(
        pipeline::loadModel(model, {}, {})
            ->remarks(catalog::resolveSettings(request, model, machine::LocalMachine().now()).value()),
        ElementsAre("the prompt is cut at 512 tokens, this is not seen: car"));
}

}  // namespace
}  // namespace reelgrid::models::wan
