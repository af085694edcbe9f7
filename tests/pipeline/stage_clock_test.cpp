#include "core/pipeline/stage_clock.h"

#include <gmock/gmock.h>

#include <thread>

#include "core/base/result.h"

namespace reelgrid::pipeline {
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
}  // namespace reelgrid::pipeline
