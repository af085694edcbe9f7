#include "core/benchmark/pipeline_baseline.h"

#include <gmock/gmock.h>

namespace reelgrid::benchmark {
namespace {

PipelineReport reportOf(const std::string& stage, const std::vector<double>& seconds) {
    PipelineReport report;
    for (const double each : seconds) {
        result::Timing timing;
        timing.add(stage, each);
        report.repetitions.push_back(timing);
    }
    return report;
}

/// What becomes of a stage that took `then` and takes `now`, at most 5 % longer.
Verdict verdictOf(const std::vector<double>& then, const std::vector<double>& now,
                  const std::string& stage = "denoise", double pipeTime = 10) {
    PipelineBaseline baseline;
    baseline.stages = {{stage, then}, {kPipeTime, {pipeTime}}};
    return compareStages(reportOf(stage, now), baseline, 0.05).front().verdict;
}

TEST(CompareStages, CallsLostWhatIsSlowerInMedianAndBest) {
    EXPECT_EQ(verdictOf({10, 10.1, 10.2}, {10.6, 10.7, 12}), Verdict::Lost);
    EXPECT_EQ(verdictOf({10}, {10.6}), Verdict::Lost);
    EXPECT_EQ(verdictOf({10}, {10.4}), Verdict::Same);
}

TEST(CompareStages, IsNotDeceivedByABusyMachine) {
    EXPECT_EQ(verdictOf({10, 10.1, 10.2}, {10.1, 13, 14}), Verdict::Noisy)
        << "one repetition was undisturbed";
    EXPECT_EQ(verdictOf({9, 10, 10}, {10, 10.1, 10.1}), Verdict::Noisy) << "a lucky one then";
    EXPECT_EQ(verdictOf({10, 10.1, 10.2}, {10, 10.1, 25}), Verdict::Same);
}

TEST(CompareStages, SaysWhatWasGained) {
    EXPECT_EQ(verdictOf({10, 10}, {9, 9.2}), Verdict::Gained);
    EXPECT_EQ(verdictOf({10, 10}, {9.8, 9.8}), Verdict::Same);
}

TEST(CompareStages, HoldsNeitherLoadingNorAStageTooShortToTell) {
    EXPECT_EQ(verdictOf({1}, {5}, kLoad), Verdict::NotHeld);
    EXPECT_EQ(verdictOf({0.05}, {0.5}, "text"), Verdict::NotHeld);
    EXPECT_EQ(verdictOf({0.05}, {0.5}, kStep), Verdict::Lost) << "a render is many of them";
}

TEST(CompareStages, NamesStagesThatOnlyOneOfThemHas) {
    PipelineBaseline baseline;
    baseline.stages = {{"decode", {1}}};
    const auto changes = compareStages(reportOf("denoise", {1}), baseline, 0.05);
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_EQ(changes[0].stage, "denoise");
    EXPECT_EQ(changes[1].stage, "decode");
    EXPECT_FALSE(anyLost(changes));
    const nlohmann::json document = toJson(changes, baseline, 0.05);
    EXPECT_FALSE(document["stages"][0].contains("change"));
    EXPECT_FALSE(document["stages"][0].contains("then_s_p50"));
    EXPECT_EQ(document["stages"][1]["verdict"], "not_held");
}

TEST(SameMeasurement, LetsAnOpenChoiceBeDecidedEitherWay) {
    PipelineReport now = reportOf("denoise", {1});
    now.settings.vaeTiling = "on";
    PipelineBaseline baseline;
    baseline.system = toJson(now.system);
    baseline.model = {{"id", "demo"}, {"hashes", nlohmann::json(now.modelHashes)}};
    baseline.settings = protocol::fieldsJson(now.settings);
    now.settings.vaeTiling = "auto";
    EXPECT_TRUE(requireSameMeasurement(now, baseline));
    now.settings.vaeTiling = "off";
    EXPECT_FALSE(requireSameMeasurement(now, baseline));
    now.settings.vaeTiling = "on";
    now.settings.numRepetitions = 7;
    EXPECT_TRUE(requireSameMeasurement(now, baseline));
    now.system.versions["libtorch"] = "9";
    EXPECT_TRUE(requireSameMeasurement(now, baseline));
    EXPECT_THAT(differencesWorthAWord(now, baseline),
                testing::ElementsAre("its libtorch was null, this is \"9\""));
}

TEST(SameMeasurement, IsOfTheBackendsThatRan) {
    PipelineReport now = reportOf("denoise", {1});
    now.attentionUsed = "fav2";
    PipelineBaseline baseline;
    baseline.system = toJson(now.system);
    baseline.model = {{"id", "demo"}, {"hashes", nlohmann::json(now.modelHashes)}};
    baseline.settings = protocol::fieldsJson(now.settings);
    EXPECT_TRUE(requireSameMeasurement(now, baseline)) << "an older file doesn't tell";
    EXPECT_EQ(toJson(now)["attention_used"], "fav2");
    baseline.attentionUsed = "sdpa";
    const auto other = requireSameMeasurement(now, baseline);
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message,
                testing::HasSubstr("its attention that ran was \"sdpa\", this is \"fav2\""));
}

}  // namespace
}  // namespace reelgrid::benchmark
