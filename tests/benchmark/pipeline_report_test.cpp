#include "core/benchmark/pipeline_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace reelgrid::benchmark {
namespace {

using testing::ElementsAre;

result::Timing timing(double denoise, std::vector<double> steps) {
    result::Timing timing;
    timing.add("text", 0.5);
    timing.add("denoise", denoise);
    timing.steps = std::move(steps);
    timing.add("decode", 2);
    return timing.complete();
}

TEST(PipelineReport, HasASeriesForEachStageAndForAStep) {
    PipelineReport report;
    report.repetitions = {timing(6, {1, 2, 3}), timing(9, {1, 4, 4}), timing(7, {1, 3, 3})};
    report.repetitions.front().add("load", 8);
    report.repetitions.front() = report.repetitions.front().complete();
    std::vector<std::string> names;
    for (const StageSeries& series : report.stages()) names.push_back(series.stage);
    EXPECT_THAT(names, ElementsAre("load", "text", "denoise", "step", "decode", "pipe_time"));
    const StageSeries denoise = report.stages()[2], step = report.stages()[3];
    EXPECT_THAT(denoise.seconds, ElementsAre(6, 9, 7));
    EXPECT_EQ(denoise.p50(), 7);
    EXPECT_EQ(denoise.best(), 6);
    EXPECT_EQ(denoise.worst(), 9);
    EXPECT_THAT(step.seconds, ElementsAre(2, 4, 3)) << "the median step of each repetition";
    ASSERT_EQ(report.steps().size(), 3U);
    EXPECT_THAT(report.steps()[1].seconds, ElementsAre(2, 4, 3));
}

TEST(PipelineReport, LeavesOutWhatWasNotMeasured) {
    PipelineReport report;
    report.repetitions = {result::Timing()};
    EXPECT_EQ(toJson(report)["stages"].size(), 0U);
    EXPECT_EQ(toJson(report)["steps"].size(), 0U);
}

}  // namespace
}  // namespace reelgrid::benchmark
