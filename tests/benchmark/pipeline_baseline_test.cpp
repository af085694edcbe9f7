#include "core/benchmark/pipeline_baseline.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "core/base/json.h"
#include "core/base/pending_file.h"

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

TEST(CompareStages, HoldsNothingAgainstAStageThatTookNoTime) {
    PipelineBaseline baseline;
    baseline.stages = {{"other", {0, 0}}};
    const auto changes = compareStages(reportOf("other", {1, 1}), baseline, 0.05);
    EXPECT_FALSE(anyHeld(changes));
    EXPECT_FALSE(toJson(changes, baseline, 0.05)["stages"][0].contains("change"));
    baseline.stages = {{"denoise", {1}}};
    EXPECT_TRUE(anyHeld(compareStages(reportOf("denoise", {1}), baseline, 0.05)));
}

class BaselineFile : public testing::Test {
  protected:
    const std::string m_file = testing::TempDir() + "baseline_" + std::to_string(getpid()) + ".json";
    void TearDown() override { std::filesystem::remove(m_file); }

    Result<PipelineBaseline> read(const std::string& text) const {
        writeFile(m_file, text).value();
        return readBaseline(m_file);
    }
    /// Two repetitions, one of which loaded, as the program measures them.
    static PipelineReport measured() {
        PipelineReport report;
        for (const double seconds : {1.0, 1.25}) {
            result::Timing timing;
            if (report.repetitions.empty()) timing.add("load", 3);
            timing.add("text", 0.1);
            timing.add("denoise", seconds);
            timing.add("decode", 0.2 * seconds);
            timing.steps = {seconds / 2, seconds / 2.1};
            // Less than the stages together, as it may be measured: nothing is left for others.
            timing.wallTime = seconds;
            report.repetitions.push_back(timing.complete());
        }
        return report;
    }
    std::string problemWith(const std::function<void(nlohmann::json&)>& change) const {
        nlohmann::json document = toJson(measured());
        change(document);
        const auto refused = read(document.dump());
        if (!refused) {
            EXPECT_EQ(refused.error().code, ErrorCode::InvalidData);
            EXPECT_THAT(refused.error().message, testing::StartsWith(m_file));
        }
        return refused ? "taken" : refused.error().message;
    }
};

TEST_F(BaselineFile, ThatTheProgramWroteIsReadBack) {
    const PipelineReport report = measured();
    const auto baseline = read(printJsonIndented(toJson(report)));
    ASSERT_TRUE(baseline) << baseline.error().message;
    ASSERT_EQ(baseline->stages.size(), report.stages().size());
    for (std::size_t i = 0; i < baseline->stages.size(); ++i) {
        EXPECT_EQ(baseline->stages[i].stage, report.stages()[i].stage);
        EXPECT_EQ(baseline->stages[i].seconds, report.stages()[i].seconds);
    }
    EXPECT_EQ(baseline->stages.back().stage, kPipeTime);
    EXPECT_TRUE(requireSameMeasurement(report, *baseline));
    EXPECT_TRUE(anyHeld(compareStages(report, *baseline, 0.05)));
}

TEST_F(BaselineFile, ThatContradictsItselfIsRefused) {
    using nlohmann::json;
    using testing::HasSubstr;
    const auto stage = [](json& document, const std::string& name) -> json& {
        for (json& each : document["stages"])
            if (each["stage"] == name) return each;
        throw std::runtime_error("no stage " + name);
    };
    EXPECT_EQ(problemWith([](json&) {}), "taken");
    for (const char* key : {"s_p50", "s_min", "s_max"})
        EXPECT_THAT(problemWith([&](json& d) { stage(d, "denoise")[key] = 7; }),
                    HasSubstr("stages: denoise: " + std::string(key) + " 7.0: that of its seconds, 1."));
    EXPECT_THAT(problemWith([](json& d) { d["repetitions"] = 50; }),
                HasSubstr("repetitions 50: as many as its stages have times, 2, was needed"));
    EXPECT_THAT(problemWith([](json& d) { d["repetitions"] = -1; }),
                HasSubstr("repetitions -1: a whole number of at least 1 was needed"));
    EXPECT_THAT(problemWith([&](json& d) { d["stages"].push_back(stage(d, "denoise")); }),
                HasSubstr("stages: denoise is there twice, once was needed"));
    EXPECT_THAT(problemWith([&](json& d) {
                    stage(d, kPipeTime) = {{"stage", kPipeTime}, {"seconds", {0.0001, 0.0001}}};
                }),
                HasSubstr("stages: pipe_time: seconds 0.0001: no less than denoising"));
    for (const double seconds : {-1.0, 1e300})
        EXPECT_THAT(problemWith([&](json& d) { stage(d, "denoise")["seconds"][0] = seconds; }),
                    HasSubstr("a number from 0 to 1e9 was needed"));
    EXPECT_THAT(problemWith([](json& d) { d["stages"] = json::array(); }),
                HasSubstr("none of its 0 can be held against a render's"));
    EXPECT_THAT(problemWith([](json& d) {
                    d["stages"] = {{{"stage", "load"}, {"seconds", {1, 1}}},
                                   {{"stage", "wings"}, {"seconds", {1, 1}}}};
                }),
                HasSubstr("none of its 2 can be held"));
    const std::string whole = toJson(measured()).dump();
    EXPECT_THAT(read(R"({"stages": [],)" + whole.substr(1)).error().message,
                HasSubstr("\"stages\" is there twice"));
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
