#include "core/denoising/stage_clock.h"

#include <gmock/gmock.h>

#include <map>
#include <thread>

#include "core/base/result.h"

namespace reelgrid::denoising {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

void spend() {
    std::this_thread::sleep_for(20ms);
}

TEST(StageClock, TimesStagesInOrderAndOnlyDenoisingByStep) {
    StageClock clock({}, {});
    clock.begin("text", 1);
    spend();
    clock.advance(1);
    clock.begin("denoise", 2);
    spend();
    clock.advance(1);
    spend();
    clock.advance(2);
    clock.begin("decode", 1);
    spend();
    clock.end();
    const result::Timing timing = clock.timing();
    std::vector<std::string> order;
    for (const auto& [name, seconds] : timing.stages) {
        order.push_back(name);
        EXPECT_GE(seconds, 0.02) << name;
    }
    EXPECT_THAT(order, ElementsAre("text", "denoise", "decode"));
    ASSERT_EQ(timing.steps.size(), 2U);
    for (const double seconds : timing.steps) EXPECT_GE(seconds, 0.02);
    EXPECT_LE(timing.steps[0] + timing.steps[1], *timing.stage("denoise"));
    EXPECT_DOUBLE_EQ(*timing.pipeTime,
                     *timing.stage("text") + *timing.stage("denoise") + *timing.stage("decode"));
    EXPECT_DOUBLE_EQ(*timing.vaeDecodeTime, *timing.stage("decode"));
}

TEST(StageClock, WhatIsDoneAsideIsNoPartOfTheStepThatItInterrupts) {
    StageClock clock({}, {});
    clock.begin("denoise", 2);
    spend();
    clock.advance(1);
    clock.parts().switchTo(execution::Part::Norms);
    clock.aside("load", [] { std::this_thread::sleep_for(200ms); });
    spend();
    clock.parts().switchTo(execution::Part::Other);
    clock.advance(2);
    clock.end();
    const result::Timing timing = clock.timing();
    EXPECT_GE(*timing.stage("load"), 0.2);
    ASSERT_EQ(timing.steps.size(), 2U);
    EXPECT_LT(timing.steps[1], 0.15);
    ASSERT_EQ(timing.stepParts.size(), 2U);
    double parts = 0;
    for (const auto& [name, seconds] : timing.stepParts[1]) parts += seconds;
    EXPECT_NEAR(parts, timing.steps[1], 1e-6);
    EXPECT_LE(timing.steps[0] + timing.steps[1], *timing.stage("denoise"));
}

double sumOf(const std::vector<std::pair<std::string, double>>& times) {
    double sum = 0;
    for (const auto& [name, seconds] : times) sum += seconds;
    return sum;
}

TEST(StageClock, WhatNoStageTookIsAStageOfItsOwn) {
    StageClock clock({}, {});
    spend();
    clock.begin("text", 1);
    spend();
    clock.begin("decode", 1);
    clock.end();
    spend();
    const result::Timing timing = clock.finishRepetition();
    EXPECT_GE(*timing.stage("other"), 0.04);
    EXPECT_GE(*timing.wallTime, 0.06);
    EXPECT_NEAR(sumOf(timing.stages), *timing.wallTime, 1e-9);
    EXPECT_EQ(timing.stages.back().first, "other");
}

TEST(StageClock, PartsAddUpToTheirStep) {
    using execution::Part;
    using execution::PartScope;
    StageClock clock({}, {});
    clock.begin("denoise", 2);
    for (int step = 1; step <= 2; ++step) {
        {
            const PartScope projections(&clock.parts(), Part::Projections);
            spend();
            {
                const PartScope attention(&clock.parts(), Part::SelfAttention);
                spend();
            }
            spend();
        }
        spend();
        clock.advance(step);
    }
    clock.end();
    const result::Timing timing = clock.timing();
    ASSERT_EQ(timing.stepParts.size(), 2U);
    for (std::size_t step = 0; step < 2; ++step) {
        const std::map<std::string, double> parts(timing.stepParts[step].begin(),
                                                  timing.stepParts[step].end());
        EXPECT_GE(parts.at("projections"), 0.04) << "before and after the attention";
        EXPECT_GE(parts.at("self_attention"), 0.02);
        EXPECT_LT(parts.at("self_attention"), parts.at("projections"));
        EXPECT_GE(parts.at("other"), 0.02);
        EXPECT_EQ(parts.at("norms"), 0);
        EXPECT_NEAR(sumOf(timing.stepParts[step]), timing.steps[step], 1e-9);
    }
}

TEST(StageClock, AStepThatDidNotEndHasNoPartsAndNobodysTimeIsCountedAfter) {
    using execution::Part;
    using execution::PartScope;
    StageClock clock({}, {});
    clock.begin("denoise", 3);
    {
        const PartScope scope(&clock.parts(), Part::Norms);
        clock.advance(1);
        clock.begin("decode", 1);
    }
    const PartScope late(&clock.parts(), Part::FeedForward);
    const result::Timing timing = clock.finishRepetition();
    EXPECT_EQ(timing.steps.size(), 1U);
    EXPECT_LE(timing.stepParts.size(), 1U);
}

TEST(StageClock, StepsOfWhichNobodyToldHaveNoParts) {
    StageClock clock({}, {});
    clock.begin("denoise", 1);
    spend();
    clock.advance(1);
    clock.end();
    EXPECT_EQ(clock.timing().steps.size(), 1U);
    EXPECT_TRUE(clock.timing().stepParts.empty());
}

TEST(StageClock, AWatchersTimeIsNoPartOfAStage) {
    struct Slow final : StageWatcher {
        [[nodiscard]] bool actsAt(const StageMoment& moment) const override { return moment.done == 1; }
        void at(const StageMoment& moment) override {
            moments.push_back(moment.stage + " " + std::to_string(moment.done));
            if (actsAt(moment)) spend();
        }
        std::vector<std::string> moments;
    } watcher;
    StageClock clock({}, {});
    clock.setWatcher(&watcher);
    clock.begin("denoise", 2);
    clock.advance(1);
    clock.advance(2);
    const result::Timing timing = clock.finishRepetition();
    EXPECT_THAT(watcher.moments, ElementsAre("denoise 0", "denoise 1", "denoise 2", " 0"));
    EXPECT_GE(*timing.stage("profile"), 0.02);
    EXPECT_LT(*timing.stage("denoise"), 0.02);
    EXPECT_LT(timing.steps.at(1), 0.02);
    EXPECT_NEAR(sumOf(timing.stages), *timing.wallTime, 1e-9);
}

TEST(StageClock, StartsEachRepetitionFromNothing) {
    StageClock clock({}, {});
    clock.begin("denoise", 1);
    clock.advance(1);
    clock.startRepetition();
    EXPECT_TRUE(clock.timing().stages.empty());
    EXPECT_TRUE(clock.timing().steps.empty());
}

TEST(StageClock, EstimatesWhatIsLeftFromWhatWasDone) {
    std::vector<protocol::RenderProgress> seen;
    StageClock clock([&](const protocol::RenderProgress& now) { seen.push_back(now); }, {});
    clock.begin("denoise", 4);
    spend();
    clock.advance(1);
    clock.begin("decode", 2);
    spend();
    clock.advance(1);
    ASSERT_EQ(seen.size(), 4U);
    EXPECT_LT(seen[0].etaSeconds, 0) << "nothing is known yet";
    EXPECT_EQ(seen[1].done, 1);
    EXPECT_EQ(seen[1].total, 4);
    // Three more steps like the first, and then decoding: more than the steps alone.
    const double step = clock.timing().steps.at(0);
    EXPECT_GE(seen[1].etaSeconds, 4 * step);
    EXPECT_LT(seen[2].etaSeconds, 0);
    EXPECT_GE(seen[3].etaSeconds, 0.02) << "as much again";
    clock.end();
    EXPECT_LE(seen[3].etaSeconds, *clock.timing().stage("decode"));
}

TEST(StageClock, ThrowsWhenAStopIsRequested) {
    std::stop_source source;
    StageClock clock({}, source.get_token());
    clock.begin("denoise", 2);
    source.request_stop();
    try {
        clock.advance(1);
        FAIL() << "it went on";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().code, ErrorCode::Cancelled);
    }
}

}  // namespace
}  // namespace reelgrid::denoising
