#include "core/result/timing.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/result/warm_up.h"
#include "tests/protocol/random_values.h"

namespace reelgrid::result {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

Timing measured() {
    Timing timing;
    timing.add("denoise", 5.75);
    timing.add("upscale", 1);
    timing.add("text", 0.25);
    timing.add("decode", 3);
    timing.add("decode", 0.5);
    timing.steps = {3.5, 2.25};
    return timing;
}

TEST(Timing, AddsUpWhatAStageTookInParts) {
    EXPECT_EQ(measured().stage("decode"), 3.5);
    EXPECT_FALSE(measured().stage("load"));
}

TEST(Timing, IsCompleteWithTheTimesOfTheReferenceScripts) {
    const Timing whole = measured().complete();
    EXPECT_EQ(whole.pipeTime, 0.25 + 5.75 + 3.5) << "text, denoise and decode";
    EXPECT_EQ(whole.vaeDecodeTime, 3.5);
    std::vector<std::string> order;
    for (const auto& [name, seconds] : whole.stages) order.push_back(name);
    EXPECT_THAT(order, ElementsAre("text", "denoise", "decode", "upscale"));
}

TEST(Timing, OfTheRenderIsNeitherLoadingNorWhatWasMeasuredBesideIt) {
    Timing timing;
    for (const char* stage : {"load", "text", "denoise", "lockstep", "decode", "metrics", "profile", "other"})
        timing.add(stage, 1);
    EXPECT_EQ(timing.renderSeconds(), 4);
    EXPECT_EQ(kindOf("load"), StageKind::Loading);
    EXPECT_EQ(kindOf("profile"), StageKind::Measuring);
}

TEST(TimingJson, HasTheKeysThatOthersRelyOn) {
    const json list = toJson(std::vector{measured().complete(), Timing()});
    EXPECT_EQ(list[0], json::parse(R"({"pipe_time":9.5,"vae_decode_time":3.5,"steps":[3.5,2.25],
        "stages":{"text":0.25,"denoise":5.75,"decode":3.5,"upscale":1.0}})"));
    EXPECT_EQ(list[1], json::parse(R"({"stages":{},"steps":[]})")) << "what was not measured is absent";
}

TEST(Timing, WhatNoStageTookOfTheWallTimeIsTheStageOther) {
    Timing timing = measured();
    timing.wallTime = 12;
    const Timing whole = timing.complete();
    EXPECT_EQ(whole.stage("other"), 12 - (0.25 + 5.75 + 3.5 + 1));
    EXPECT_EQ(whole.complete().stage("other"), whole.stage("other"));
    EXPECT_FALSE(measured().complete().stage("other")) << "no wall time, no remainder";
}

TEST(TimingJson, HasThePartsOfTheStepsThatWereMeasured) {
    Timing timing = measured();
    timing.stepParts = {{{"norms", 0.5}, {"self_attention", 3}}, {}};
    timing.wallTime = 12;
    const json list = toJson({timing});
    EXPECT_EQ(list[0]["step_parts"], json::parse(R"([{"norms":0.5,"self_attention":3.0},null])"));
    EXPECT_EQ(list[0]["wall_time"], 12);
    const auto read = timingsFromJson(list);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ((*read)[0].stepParts, timing.stepParts);
    EXPECT_EQ((*read)[0].wallTime, timing.wallTime);
}

TEST(TimingJson, HasThePassesThatRanAndWereSkipped) {
    Timing timing = measured();
    timing.passes = {{2, 0}, {1, 1}};
    const json list = toJson({timing});
    EXPECT_EQ(list[0]["passes"], json::parse(R"([{"whole":2,"skipped":0},{"whole":1,"skipped":1}])"));
    EXPECT_EQ(timingsFromJson(list).value()[0].passes, timing.passes);
    EXPECT_FALSE(toJson({measured()})[0].contains("passes"));
}

TEST(Timing, GoesOnFromTheStepsOfAnotherProcess) {
    Timing earlier;
    earlier.add("denoise", 4);
    earlier.add("save", 0.5);
    earlier.add("text", 7);
    earlier.steps = {1, 3};
    earlier.passes = {{2, 0}, {2, 0}};
    Timing timing = measured();
    timing.stepParts = {{{"norms", 0.5}}, {{"norms", 0.25}}};
    timing.passes = {{1, 1}, {2, 0}};
    timing.wallTime = 12;
    timing.goOnFrom(earlier);
    EXPECT_THAT(timing.steps, ElementsAre(1, 3, 3.5, 2.25));
    EXPECT_EQ(timing.passes.size(), 4U);
    ASSERT_EQ(timing.stepParts.size(), 4U);
    EXPECT_TRUE(timing.stepParts[1].empty());
    EXPECT_EQ(timing.stage("denoise"), 9.75);
    EXPECT_EQ(timing.stage("save"), 0.5);
    EXPECT_EQ(timing.stage("text"), 0.25) << "done again";
    EXPECT_EQ(timing.wallTime, 16.5);
    Timing alone = measured();
    alone.goOnFrom({});
    EXPECT_EQ(alone.steps, measured().steps);
}

TEST(TimingJson, SurvivesARoundTrip) {
    const std::vector<Timing> written{measured().complete()};
    const auto read = timingsFromJson(toJson(written));
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->size(), 1U);
    EXPECT_EQ((*read)[0].stages, written[0].stages);
    EXPECT_EQ((*read)[0].steps, written[0].steps);
    EXPECT_EQ((*read)[0].pipeTime, written[0].pipeTime);
}

TEST(TimingJson, RefusesWhatIsNoTime) {
    EXPECT_THAT(timingsFromJson(json::parse(R"([{"stages":{"text":"long"}}])")).error().message,
                HasSubstr(R"(text "long": seconds were needed)"));
    EXPECT_THAT(timingsFromJson(json::parse(R"([{"step_parts":[{"norms":"few"}]}])")).error().message,
                HasSubstr(R"(step_parts: norms "few": seconds were needed)"));
    EXPECT_THAT(timingsFromJson(json::parse(R"([{"step_parts":[3]}])")).error().message,
                HasSubstr("step_parts: 3: an object or null was needed"));
    EXPECT_THAT(timingsFromJson(json::parse(R"([{"steps":[true]}])")).error().message,
                HasSubstr("steps: true"));
}

TEST(TimingsAtRandom, AreReadAsTheyWereWritten) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        protocol::RandomValues random(seed);
        std::vector<Timing> timings(static_cast<std::size_t>(random.integer(0, 3)));
        for (Timing& timing : timings) {
            for (const char* stage : {"load", "text", "denoise", "decode"})
                if (random.coin()) timing.add(stage, random.number(0, 1e5));
            for (int step = random.integer(0, 4); step > 0; --step)
                timing.steps.push_back(random.number(0, 100));
            for (std::size_t step = 0; step < timing.steps.size(); ++step)
                timing.stepParts.push_back({{"self_attention", random.number(0, 100)}, {"other", 0.5}});
            if (random.coin()) timing.frames = random.integer(1, 1000);
            if (random.coin()) timing.addPeak("denoise", random.whole());
            timing = timing.complete();
        }
        const std::string written = printJson(toJson(timings));
        const auto read = timingsFromJson(parseJson(written, "timing").value());
        ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
        ASSERT_EQ(printJson(toJson(*read)), written) << "seed " << seed;
    }
}

Timing steppedBy(std::vector<double> steps) {
    Timing timing;
    double denoise = 0;
    for (const double step : steps) denoise += step;
    timing.steps = std::move(steps);
    timing.stages = {{"denoise", denoise}};
    return timing;
}

TEST(WarmUp, IsWhatFirstStepsTookBeyondLaterOnes) {
    // A GPU's libraries start: two more steps are slow after the first one.
    const Timing cold = steppedBy({0.23, 0.08, 0.021, 0.005, 0.005, 0.005, 0.005, 0.005});
    EXPECT_NEAR(warmUpSeconds(cold), 0.23 + 0.08 + 0.021 - 3 * 0.005, 1e-12);
    EXPECT_NEAR(steadyDenoiseSeconds(cold).value(), 8 * 0.005, 1e-12);
    const Timing steady = steppedBy({0.04, 0.04, 0.04, 0.04, 0.04, 0.04, 0.04, 0.04});
    EXPECT_NEAR(denoiseRatio(steady, cold).value(), 8, 1e-9);
    EXPECT_NEAR(denoiseRatio(cold, steady).value(), 0.125, 1e-9);
}

TEST(WarmUp, IsUnknownOfFewSteps) {
    EXPECT_EQ(coldSteps(steppedBy({0.23, 0.08, 0.021, 0.005, 0.005, 0.005, 0.005, 0.005})), 3U);
    EXPECT_EQ(coldSteps(steppedBy({1, 1, 1, 1})), 0U);
    EXPECT_EQ(coldSteps(steppedBy({9, 1, 1})), std::nullopt);
}

TEST(WarmUp, OfAPartIsWhatFirstStepsTookInItBeyondLaterOnes) {
    Timing cold = steppedBy({6, 1, 1, 1});
    EXPECT_EQ(warmUpSecondsIn(cold, "self_attention"), 0) << "not measured by part";
    cold.stepParts = {{{"self_attention", 4.2}, {"norms", 1.8}},
                      {{"self_attention", 0.4}, {"norms", 0.6}},
                      {{"self_attention", 0.2}, {"norms", 0.8}},
                      {{"self_attention", 0.3}, {"norms", 0.7}}};
    EXPECT_NEAR(warmUpSecondsIn(cold, "self_attention"), 3.9, 1e-12);
    EXPECT_EQ(warmUpSecondsIn(cold, "cross_attention"), 0);
    cold.steps = {4, 1, 1, 1};
    EXPECT_EQ(warmUpSecondsIn(cold, "self_attention"), 0) << "its first step was not so slow";
}

/// A step cache that foretells all late steps: only whole ones say what a whole one takes.
TEST(WarmUp, IsToldByStepsThatDidAsMuchAsTheFirst) {
    Timing cached = steppedBy({50, 42, 38, 0.8, 37, 0.9, 0.6, 0.5, 0.6, 0.5, 0.6, 0.5});
    for (const int whole : {2, 2, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0}) cached.passes.push_back({whole, 2 - whole});
    EXPECT_EQ(coldSteps(cached), 0U);
    EXPECT_EQ(warmUpSeconds(cached), 0);
    EXPECT_EQ(steadyDenoiseSeconds(cached), cached.stage("denoise"));
    cached.steps[0] = 500;
    cached.steps[1] = 90;
    EXPECT_EQ(coldSteps(cached), 2U);
    EXPECT_NEAR(warmUpSeconds(cached), 500 + 90 - 2 * 38, 1e-9);
    cached.passes[4] = {0, 2};
    EXPECT_EQ(coldSteps(cached), std::nullopt) << "three whole steps are too few to tell";
    EXPECT_EQ(warmUpSeconds(cached), 0);
    Timing skips = steppedBy({100, 90, 0.5, 10, 10, 10, 10, 10});
    for (const int whole : {2, 2, 0, 2, 2, 2, 2, 2}) skips.passes.push_back({whole, 2 - whole});
    EXPECT_EQ(coldSteps(skips), 2U);
    EXPECT_NEAR(warmUpSeconds(skips), 100 + 90 - 2 * 10, 1e-9);
}

TEST(WarmUp, IsNoneWhereStepsDifferByWhatTheyCompute) {
    // A cache skips later steps, a policy gives the first one to a slower backend; there are too few steps.
    for (const Timing& warm : {steppedBy({1, 1, 0.1, 0.1, 0.1, 1, 0.1, 0.1}), steppedBy({4, 4, 1, 1, 1, 1}),
                               steppedBy({1, 1, 1, 1}), steppedBy({9, 1, 1}), steppedBy({})})
        EXPECT_EQ(warmUpSeconds(warm), 0) << warm.steps.size();
    EXPECT_EQ(steadyDenoiseSeconds(Timing()), std::nullopt);
    EXPECT_EQ(denoiseRatio(Timing(), steppedBy({1, 1, 1, 1})), std::nullopt);
    EXPECT_EQ(denoiseRatio(steppedBy({1, 1, 1, 1}), Timing()), std::nullopt);
}

}  // namespace
}  // namespace reelgrid::result
