#include "core/comparison/same_work.h"

#include <gmock/gmock.h>

#include <tuple>

#include "core/comparison/steady_times.h"
#include "core/comparison/warm_up_line.h"

namespace reelgrid::comparison {
namespace {

using protocol::ModuleKind;

result::ClipResult renderedBy(const std::vector<double>& denoise, double self, std::optional<double> cross) {
    result::ClipResult result;
    for (const double seconds : denoise) {
        result::Timing timing;
        timing.stages = {{"text", 0.5}, {"denoise", seconds}, {"decode", 2.0}};
        result.timings.push_back(timing);
    }
    result.manifest.attention = {{ModuleKind::Self, "fav2", "fav2", "", 320, self},
                                 {ModuleKind::Cross, "sdpa", "sdpa", "", 320, cross}};
    return result;
}

TEST(SameWork, IsWhatDenoisingTookOutsideAllAttention) {
    const result::ClipResult once = renderedBy({30}, 9, 1);
    EXPECT_DOUBLE_EQ(attentionSeconds(once, ModuleKind::Self).value(), 9);
    EXPECT_DOUBLE_EQ(secondsOutsideAttention(once).value(), 20);
}

TEST(SameWork, CountsAttentionPerRepetition) {
    const result::ClipResult twice = renderedBy({30, 26}, 16, 4);
    EXPECT_DOUBLE_EQ(attentionSeconds(twice, ModuleKind::Self).value(), 8);
    EXPECT_DOUBLE_EQ(secondsOutsideAttention(twice).value(), 18);
}

TEST(SameWork, IsAbsentWhereAnythingWasNotMeasured) {
    EXPECT_EQ(secondsOutsideAttention(renderedBy({30}, 9, std::nullopt)), std::nullopt);
    EXPECT_EQ(secondsOutsideAttention(renderedBy({}, 9, 1)), std::nullopt);
    EXPECT_EQ(secondsOutsideAttention(result::ClipResult()), std::nullopt);
    EXPECT_FALSE(sameWorkOf(std::vector<double>{20}));
}

TEST(SameWork, IsUnevenWhenTheMachineWasNotEquallyFast) {
    EXPECT_FALSE(sameWorkOf(std::vector<double>{20, 21, 23.6}).value().isUneven());
    EXPECT_TRUE(sameWorkOf(std::vector<double>{20, 21, 25.5}).value().isUneven());
    const SameWork busy = sameWorkOf(std::vector<double>{25.6, 37.6, 10.9}).value();
    EXPECT_EQ(busy.fastest, 10.9);
    EXPECT_EQ(busy.slowest, 37.6);
    EXPECT_TRUE(busy.isUneven());
}

TEST(SameWork, ShortTimesAreNotRoundedAway) {
    EXPECT_THAT(unevenWorkLine({0.0049, 0.0121}), testing::HasSubstr("took 0.0049 to 0.012 s"));
}

TEST(SameWork, IsThatOfRendersWithAsManySteps) {
    std::vector<Entry> entries(3);
    for (Entry& entry : entries) {
        entry.result = renderedBy({30}, 9, 1);
        entry.result.manifest.settings.emplace().numInferenceSteps = 20;
    }
    entries[1].result = renderedBy({60}, 9, 1);
    entries[1].result.manifest.settings.emplace().numInferenceSteps = 20;
    EXPECT_TRUE(sameWorkOf(entries).value().isUneven());
    entries[1].result.manifest.settings->numInferenceSteps = 40;
    EXPECT_FALSE(sameWorkOf(entries).value().isUneven()) << "twice the steps take twice the time";
}

TEST(SteadyTimes, LeaveOutWhatAColdStartTook) {
    // One step of 1 s is 0.3 s of self-attention and 0.1 s of cross-attention; the first one began cold.
    result::ClipResult cold = renderedBy({10}, 3.2, 0.4);
    result::Timing& timing = cold.timings.front();
    timing.steps = {7, 1, 1, 1};
    timing.stepParts.assign(4, {{"self_attention", 0.3}, {"cross_attention", 0.1}, {"norms", 0.6}});
    timing.stepParts[0] = {{"self_attention", 2.3}, {"cross_attention", 0.1}, {"norms", 4.6}};
    SteadyTimes times = steadyTimesOf(cold);
    EXPECT_NEAR(times.warmUp, 6, 1e-9);
    EXPECT_NEAR(times.denoise.value(), 4, 1e-9);
    EXPECT_NEAR(times.coveredAttention.value(), 1.2, 1e-9);
    EXPECT_NEAR(times.outsideAttention.value(), 2.4, 1e-9);
    // Calls that can't be timed, as on a GPU, leave denoising as a whole.
    cold.manifest.attention.front().seconds.reset();
    times = steadyTimesOf(cold);
    EXPECT_NEAR(times.denoise.value(), 4, 1e-9);
    EXPECT_EQ(times.coveredAttention, std::nullopt);
    EXPECT_EQ(times.outsideAttention, std::nullopt);
}

TEST(SteadyTimes, OfSeveralRepetitionsAreTheMeanOfCallsAndTheLastOnesDenoising) {
    result::ClipResult twice = renderedBy({9, 4}, 2.4, 0.8);
    twice.timings[0].steps = {6, 1, 1, 1};
    twice.timings[1].steps = {1, 1, 1, 1};
    const SteadyTimes times = steadyTimesOf(twice);
    EXPECT_NEAR(times.warmUp, 5, 1e-9) << "the first repetition's";
    EXPECT_NEAR(times.denoise.value(), 4, 1e-9);
    EXPECT_NEAR(times.coveredAttention.value(), 1.2, 1e-9) << "not known by part: as it was";
    EXPECT_NEAR(times.outsideAttention.value(), 6.5 - 1.6 - 2.5, 1e-9);
    EXPECT_EQ(steadyTimesOf(result::ClipResult()).denoise, std::nullopt);
}

TEST(WarmUpLine, NamesWhoseFirstStepsTookLonger) {
    std::vector<Entry> entries(3);
    for (const auto& [place, name, first] :
         {std::tuple{0, "sdpa", 0.35}, {1, "fav3", 0.05}, {2, "mine", 5.05}}) {
        Entry& entry = entries[std::size_t(place)];
        entry.caption.name = name;
        result::Timing timing;
        timing.steps = {first, 0.05, 0.05, 0.05};
        entry.result.timings = {timing};
    }
    EXPECT_EQ(warmUpLine(entries),
              "the first denoising steps took longer than later ones, as libraries start and kernels are "
              "compiled or tuned, in sdpa (0.30 s), mine (5.00 s): ratios of denoising leave that out, times "
              "don't; --num-repetitions 2 renders without it");
    entries[2].error = Error{ErrorCode::Internal, "gone"};
    entries[0].result.timings.clear();
    EXPECT_EQ(warmUpLine(entries), "");
}

}  // namespace
}  // namespace reelgrid::comparison
