#include "core/capture/capture_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace reelgrid::capture {
namespace {

using protocol::GuidanceBranch;
using protocol::ModuleKind;

std::vector<int> upTo(int count) {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

CaptureExtent extentOf(int steps, int layers) {
    return {upTo(steps),
            {GuidanceBranch::Conditional, GuidanceBranch::Unconditional},
            upTo(layers),
            {ModuleKind::Self}};
}

TEST(SpreadOver, ReachesFromTheFirstStepToTheLastOverManyLayersAndBothBranches) {
    for (const auto& [steps, layers] : {std::pair(20, 8), {50, 30}, {50, 40}, {9, 10}, {5, 8}, {10, 10}}) {
        const auto places = spreadOver(extentOf(steps, layers), 10);
        ASSERT_EQ(places.size(), 10u);
        EXPECT_EQ(places.front().step, 0);
        EXPECT_EQ(places.back().step, steps - 1);
        std::set<int> layersSeen, stepsSeen;
        std::set<GuidanceBranch> branches;
        for (const CallPlace& place : places) {
            layersSeen.insert(place.layer);
            stepsSeen.insert(place.step);
            branches.insert(place.branch);
        }
        EXPECT_GE(layersSeen.size(), std::size_t(std::min(layers, 10)) * 3 / 4) << steps << " " << layers;
        EXPECT_GE(stepsSeen.size(), std::size_t(std::min(steps, 9))) << steps << " " << layers;
        EXPECT_EQ(branches.size(), 2u) << steps << " " << layers;
    }
}

TEST(SpreadOver, HasAsManyDifferentPlacesAsThereAre) {
    const CaptureExtent extent{
        {3, 7}, {GuidanceBranch::Conditional}, {0, 5, 6}, {ModuleKind::Self, ModuleKind::Cross}};
    for (std::size_t most = 0; most <= 20; ++most) {
        const auto places = spreadOver(extent, most);
        EXPECT_EQ(places.size(), std::min<std::size_t>(most, 12));
        EXPECT_TRUE(std::ranges::is_sorted(places));
        EXPECT_EQ(std::set(places.begin(), places.end()).size(), places.size());
        for (const CallPlace& place : places) EXPECT_TRUE(extent.contains(place));
    }
    EXPECT_EQ(spreadOver({}, 10).size(), 0u);
}

/// How many calls of a render with these branches the plan takes.
std::vector<CallPlace> taken(CapturePlan plan, const CaptureExtent& calls, int callsAPlace = 1) {
    std::vector<CallPlace> found;
    for (const CallPlace& place : spreadOver(calls, calls.places()))
        for (int i = 0; i < callsAPlace; ++i)
            if (plan.takes(place)) found.push_back(place);
    return found;
}

TEST(CapturePlan, TakesWhatWasPlannedOnce) {
    const CaptureExtent extent = extentOf(6, 4);
    EXPECT_EQ(taken({extent, 10}, extent), spreadOver(extent, 10));
    EXPECT_EQ(taken({extent, 10}, extent, 2), spreadOver(extent, 10));
    EXPECT_EQ(taken({extent, 0}, extent, 2).size(), 6u * 2 * 4 * 2);
    EXPECT_EQ(CapturePlan(extent, 1000).planned(), 48u);
}

TEST(CapturePlan, OfMoreCallsThanPlacesSomeAreSecondOnes) {
    const CaptureExtent extent = extentOf(6, 4);
    EXPECT_EQ(taken({extent, 48}, extent, 2).size(), 48u);
    EXPECT_EQ(taken({extent, 60}, extent, 2).size(), 60u);
    EXPECT_EQ(taken({extent, 200}, extent, 2).size(), 96u);
    EXPECT_EQ(taken({extent, 200}, extent).size(), 48u);
}

TEST(CapturePlan, MakesUpForABranchThatNeverComes) {
    const CaptureExtent extent = extentOf(20, 8);
    CaptureExtent calls = extent;
    calls.branches = {GuidanceBranch::Conditional};
    const auto found = taken({extent, 10}, calls);
    EXPECT_GE(found.size(), 9u);  // what was planned behind the last call can't be made up for
    EXPECT_GE(found.back().step, 17);
}

TEST(CapturePlan, LeavesOtherLayersStepsAndKindsAlone) {
    CaptureExtent wanted = extentOf(4, 4);
    wanted.layers = {2};
    wanted.steps = {1, 3};
    CaptureExtent calls = extentOf(4, 4);
    calls.kinds = {ModuleKind::Self, ModuleKind::Cross};
    const auto found = taken({wanted, 0}, calls);
    EXPECT_EQ(found.size(), 4u);
    for (const CallPlace& place : found) EXPECT_TRUE(wanted.contains(place));
}

TEST(CapturePlan, SaysWhichPassesMustBeCalled) {
    CaptureExtent extent = extentOf(6, 4);
    extent.steps = {2};
    CapturePlan plan(extent, 1);
    const auto places = spreadOver(extent, 1);
    ASSERT_EQ(places.front().branch, GuidanceBranch::Unconditional);
    EXPECT_FALSE(plan.mayTakeFrom(1, GuidanceBranch::Unconditional));
    EXPECT_FALSE(plan.mayTakeFrom(2, GuidanceBranch::Conditional));
    EXPECT_TRUE(plan.mayTakeFrom(2, GuidanceBranch::Unconditional));
    EXPECT_TRUE(plan.takes(places.front()));
    EXPECT_FALSE(plan.mayTakeFrom(2, GuidanceBranch::Unconditional));
}

}  // namespace
}  // namespace reelgrid::capture
