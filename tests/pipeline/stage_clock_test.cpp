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
    EXPECT_NEAR(timing.steps[0] + timing.steps[1], *timing.stage("denoise"), 0.005);
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
    EXPECT_GT(seen[1].etaSeconds, 3 * 0.02);
    EXPECT_NEAR(seen[1].etaSeconds / seen[1].elapsedSeconds, 3 + 0.3 * 4, 0.2);
    EXPECT_LT(seen[2].etaSeconds, 0);
    EXPECT_NEAR(seen[3].etaSeconds, seen[3].elapsedSeconds - seen[1].elapsedSeconds, 0.005)
        << "as much again";
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
