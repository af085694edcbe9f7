#include "core/tune/prediction.h"

#include <gmock/gmock.h>

#include <numeric>

#include "core/tune/search.h"

namespace reelgrid::tune {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

const double kNone = std::numeric_limits<double>::quiet_NaN();

/// 2 layers, 2 steps; "sage" errs twice as much in layer 1, and in step 1 three times as much.
Measurements twoBackends() {
    Measurements known;
    metrics::LockstepMap& map = known.map;
    map.layers = map.steps = 2;
    map.reference = "sdpa";
    map.seconds = {1, 1, 1, 3};
    map.stepSize = {1, 1};
    metrics::LockstepBackend& sage = map.backends.emplace_back();
    sage.name = "sage";
    sage.attention.rmse = {1, 2, 1, 2};
    sage.flow.rmse = {1, 3};
    sage.seconds = {0.5, 0.5, 0.5, 0.5};
    known.singles = {{"sdpa", 8, 0}, {"sage", 2, 1.5}};
    known.floor = 0.5;
    return known;
}

double totalOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(Prediction, SharesARendersErrorAsLockstepSays) {
    const SiteCosts costs = siteCosts(twoBackends(), {});
    ASSERT_EQ(costs.backends.size(), 2u);
    EXPECT_EQ(costs.reference, 0);
    EXPECT_THAT(costs.backends[0].error, ElementsAre(0, 0, 0, 0));
    // 1 : 9 over the steps, 1 : 4 over the layers, together what goes beyond the floor.
    EXPECT_THAT(costs.backends[1].error, ElementsAre(DoubleNear(0.02, 1e-12), DoubleNear(0.08, 1e-12),
                                                     DoubleNear(0.18, 1e-12), DoubleNear(0.72, 1e-12)));
    EXPECT_DOUBLE_EQ(predicted(costs, {1, 1, 1, 1}).error, 1.5) << "the render with sage itself";
    EXPECT_DOUBLE_EQ(predicted(costs, {0, 0, 0, 0}).error, 0);
    EXPECT_NEAR(predicted(costs, {1, 0, 0, 0}).error, 0.52, 1e-12) << "and the floor";
}

TEST(Prediction, AStepThatMovesFartherWeighsMore) {
    Measurements known = twoBackends();
    known.map.stepSize = {3, 1};
    EXPECT_NEAR(siteCosts(known, {}).backends[1].error[0], 0.1, 1e-12) << "9 : 9 over the steps";
}

TEST(Prediction, GrowthLetsEarlyErrorsWeighMore) {
    const auto early = siteCosts(twoBackends(), {.growth = std::log(9), .scale = 1}).backends[1].error;
    EXPECT_NEAR(early[0] + early[1], 0.5, 1e-12);
    EXPECT_NEAR(totalOf(early), 1, 1e-12) << "the whole stays what was measured";
}

TEST(Prediction, SharesTimesOverTheLayersAlone) {
    const SiteCosts costs = siteCosts(twoBackends(), {});
    EXPECT_NEAR(totalOf(costs.backends[0].seconds), 8, 1e-12);
    EXPECT_NEAR(totalOf(costs.backends[1].seconds), 2, 1e-12);
    EXPECT_DOUBLE_EQ(costs.backends[0].seconds[0], costs.backends[0].seconds[2]) << "steps do equal work";
    Measurements untimed = twoBackends();
    untimed.map.seconds.clear();
    EXPECT_THAT(siteCosts(untimed, {}).backends[0].seconds, ElementsAre(2, 2, 2, 2));
}

TEST(Prediction, ABackendIsNotToBeHadWhereItDidNotRun) {
    Measurements known = twoBackends();
    known.map.backends[0].attention.rmse[1] = kNone;
    const auto errors = siteCosts(known, {}).backends[1].error;
    EXPECT_TRUE(std::isinf(errors[1]));
    EXPECT_NEAR(errors[0] + errors[2] + errors[3], 1, 1e-12);
}

TEST(Calibration, LetsEarlyErrorsGrowWithoutAMixedRenderToLearnFrom) {
    const Calibration usual = calibrate(twoBackends());
    EXPECT_GT(usual.growth, 0);
    EXPECT_EQ(usual.scale, 1);
}

TEST(Calibration, FindsTheGrowthThatRendersWereMadeWith) {
    Measurements known = twoBackends();
    const SiteCosts truth = siteCosts(known, {.growth = 3, .scale = 1});
    for (const Assignment& each : {Assignment{1, 1, 0, 0}, Assignment{0, 0, 1, 1}, Assignment{1, 0, 0, 0}})
        known.mixed.push_back({each, predicted(truth, each).error});
    const Calibration found = calibrate(known);
    EXPECT_NEAR(found.growth, 3, 0.5);
    EXPECT_NEAR(found.scale, 1, 0.3);
}

TEST(Calibration, PredictsTheLastRenderAsItWas) {
    Measurements known = twoBackends();
    known.mixed = {{{1, 0, 0, 0}, 0.9}, {{0, 0, 1, 0}, 0.62}};
    const SiteCosts costs = siteCosts(known, calibrate(known));
    EXPECT_NEAR(predicted(costs, known.mixed.back().assignment).error, 0.62, 1e-9);
}

}  // namespace
}  // namespace reelgrid::tune
