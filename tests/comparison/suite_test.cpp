#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/protocol/result_paths.h"
#include "core/result/metrics_file.h"
#include "core/suite/gate.h"
#include "core/suite/gate_check.h"
#include "core/suite/other_suite.h"
#include "core/suite/prompt_list.h"
#include "core/suite/statistics.h"
#include "core/suite/suite_comparison.h"
#include "core/suite/suite_file.h"
#include "core/suite/suite_report.h"
#include "core/suite/suite_result.h"
#include "core/suite/suite_votes.h"
#include "tests/protocol/random_values.h"
#include "tests/session/session_folder.h"

namespace reelgrid::suite {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

SuitePlan planOf(const json& file) {
    auto plan = suitePlanFrom(file, ".");
    EXPECT_TRUE(plan) << plan.error().message;
    return plan ? *std::move(plan) : SuitePlan();
}

TEST(SuiteMeasures, TellDenoisingWithAndWithoutWhatAColdStartTook) {
    result::ClipResult clip;
    result::Timing& timing = clip.timings.emplace_back();
    timing.stages = {{"denoise", 10}};
    timing.steps = {7, 1, 1, 1};
    const Measured measured = measuredOf(clip);
    EXPECT_DOUBLE_EQ(measured.at("denoise_seconds"), 10);
    EXPECT_DOUBLE_EQ(measured.at("steady_denoise_seconds"), 4);
}

TEST(SuitePlan, VariesWhatIsAList) {
    const SuitePlan plan = planOf({{"model", "demo"},
                                   {"prompts", {"a cat", "a dog"}},
                                   {"seeds", {1, 2}},
                                   {"step_cache", {0.0, 0.5}},
                                   {"types", {"fav2", "sdpa"}},
                                   {"num_inference_steps", 20}});
    ASSERT_EQ(plan.jobs.size(), 16u);
    EXPECT_EQ(plan.subjects, 8u);
    std::vector<std::string> keys;
    for (const Axis& axis : plan.axes) keys.push_back(axis.key);
    EXPECT_THAT(keys, ElementsAre("prompt", "seed", "step_cache", "attention_type"));
    EXPECT_EQ(plan.jobs[0].request.attentionType, "sdpa") << "the reference first";
    const SuiteJob& last = plan.jobs.back();
    EXPECT_EQ(last.request.prompt, "a dog");
    EXPECT_EQ(last.request.seed, 2u);
    EXPECT_EQ(last.request.stepCache, 0.5);
    EXPECT_EQ(last.request.attentionType, "fav2");
    EXPECT_EQ(last.request.numInferenceSteps, 20);
    EXPECT_EQ(last.subject, 7u);
    EXPECT_EQ(last.reference, 12u) << "sdpa without a step cache, of the same prompt and seed";
}

TEST(SuitePlan, SaysWhatIsWrongWithAFile) {
    const auto refusal = [](const json& file) {
        const auto plan = suitePlanFrom(file, ".");
        EXPECT_FALSE(plan);
        return plan ? std::string() : plan.error().message;
    };
    EXPECT_THAT(refusal(json::object()),
                HasSubstr("it says nothing, at least one field of a render was needed: \"prompts\""));
    EXPECT_THAT(refusal({{"promts", {"a"}}}), HasSubstr("promts: no field of a render"));
    EXPECT_THAT(refusal({{"output", "a.mp4"}}), HasSubstr("output: no field of a render"));
    EXPECT_THAT(refusal({{"seeds", 1}}), HasSubstr("seeds 1: a list was needed"));
    EXPECT_THAT(refusal({{"seeds", json::array()}}),
                HasSubstr("seeds []: a list of at least one was needed"));
    EXPECT_THAT(refusal({{"seed", 1}, {"seeds", {1, 2}}}), HasSubstr("seed is given twice"));
    EXPECT_THAT(refusal({{"seeds", {1, 1}}}), HasSubstr("seed 1: each value once was needed"));
    EXPECT_THAT(refusal({{"num_frames", {9, "many"}}}), HasSubstr("num_frames"));
    json large = {{"prompts", json::array()}, {"seeds", json::array()}};
    for (int i = 0; i < 150; ++i) {
        large["prompts"].push_back(std::to_string(i));
        large["seeds"].push_back(i);
    }
    EXPECT_THAT(refusal(large), HasSubstr("more than 20000 renders"));
}

TEST(SuitePlan, RefusesEmptyTextsWhereAFieldNeedsOne) {
    const auto refusal = [](const json& file) {
        const auto plan = suitePlanFrom(file, ".");
        EXPECT_FALSE(plan) << file.dump();
        if (plan) return std::string();
        EXPECT_EQ(plan.error().code, ErrorCode::BadUsage);
        return plan.error().message;
    };
    for (const char* key :
         {"model", "task", "scheduler", "dtype", "vae_dtype", "device", "generator", "vae", "picture_fit",
          "vae_tiling", "capture_layers", "capture_steps", "img_file_path", "input_dir"})
        EXPECT_EQ(refusal({{key, ""}}), key + std::string(" \"\": some text was needed"));
    EXPECT_EQ(refusal({{"dtype", {"", "fp32"}}}),
              "dtype [\"\",\"fp32\"]: a list without empty texts was needed");
    EXPECT_EQ(refusal({{"types", {""}}}), "types [\"\"]: a list without empty texts was needed");
    EXPECT_EQ(refusal({{"models", {"demo", ""}}}),
              "models [\"demo\",\"\"]: a list without empty texts was needed");
    EXPECT_EQ(refusal({{"lora", {""}}}), "lora [\"\"]: a list without empty texts was needed");
    EXPECT_EQ(refusal({{"prompts", ""}}), "prompts \"\": a list, or a file of prompts, was needed");
    EXPECT_THAT(refusal({{"num_frames", ""}}), HasSubstr("num_frames \"\": a whole number"));
}

TEST(SuitePlan, PromptsMayBeEmptyAndNullIsNotGiven) {
    const SuitePlan prompts = planOf({{"prompts", {"", "a cat"}}, {"negative_prompt", ""}});
    ASSERT_EQ(prompts.jobs.size(), 2u);
    EXPECT_EQ(prompts.jobs[0].request.negativePrompt, "");
    const SuitePlan dtypes = planOf({{"dtype", {nullptr, "fp32"}}});
    ASSERT_EQ(dtypes.jobs.size(), 2u);
    EXPECT_FALSE(dtypes.jobs[0].request.dtype);
    EXPECT_EQ(dtypes.jobs[1].request.dtype, "fp32");
}

TEST(SuitePlan, ListsOfListsVaryFieldsThatAreLists) {
    const SuitePlan one = planOf({{"lora", {"a.safetensors"}}});
    EXPECT_EQ(one.jobs.size(), 1u);
    EXPECT_THAT(one.jobs[0].request.lora, ElementsAre("a.safetensors"));
    const SuitePlan two = planOf({{"lora", json::array({json::array({"a.safetensors"}),
                                                        json::array({"b.safetensors", "c.safetensors"})})}});
    ASSERT_EQ(two.jobs.size(), 2u);
    EXPECT_THAT(two.jobs[1].request.lora, ElementsAre("b.safetensors", "c.safetensors"));
}

TEST(PromptList, ReadsLinesAndVBenchsObjects) {
    const session::SessionFolder folder;
    const auto lines = folder.path() / "prompts.txt", list = folder.path() / "VBench_full_info.json";
    ASSERT_TRUE(writeFile(lines, "a cat\r\n\n  \na dog"));
    ASSERT_TRUE(writeFile(list, R"([{"prompt_en": "a bird", "dimension": ["dynamic_degree"]}, "a fish"])"));
    EXPECT_THAT(readPrompts(lines).value(), ElementsAre("a cat", "a dog"));
    EXPECT_THAT(readPrompts(list).value(), ElementsAre("a bird", "a fish"));
    const auto plan = suitePlanFrom({{"prompts", "prompts.txt"}}, folder.path());
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->jobs.size(), 2u);
    ASSERT_TRUE(writeFile(list, R"([{"prompt": 7}])"));
    EXPECT_THAT(readPrompts(list).error().message, HasSubstr("an object with \"prompt_en\", was needed"));
    ASSERT_TRUE(writeFile(lines, "\n"));
    EXPECT_THAT(readPrompts(lines).error().message, HasSubstr("0 prompts, 1 to 10000 were needed"));
    EXPECT_EQ(suitePlanFrom({{"prompts", "prompts.txt"}}, folder.path()).error().code, ErrorCode::BadUsage);
    EXPECT_EQ(suitePlanFrom({{"prompts", "none.txt"}}, folder.path()).error().code, ErrorCode::NotFound);
}

TEST(PromptList, IsUtf8WithoutAMarkAndHasEachKindOfLineEnd) {
    const session::SessionFolder folder;
    const auto lines = folder.path() / "prompts.txt";
    ASSERT_TRUE(writeFile(lines,
                          "\xef\xbb\xbf"
                          "a cat\ra dog\r\n\ncaf\xc3\xa9\r"));
    EXPECT_THAT(readPrompts(lines).value(), ElementsAre("a cat", "a dog", "caf\xc3\xa9"));
    for (const char* other : {"caf\xe9 heart\n",
                              "\xff\xfe"
                              "a"}) {
        ASSERT_TRUE(writeFile(lines, other));
        const auto refused = readPrompts(lines);
        ASSERT_FALSE(refused) << other;
        EXPECT_EQ(refused.error().message, lines.string() + ": text in UTF-8 was needed");
    }
}

TEST(Estimate, OfTwoPromptsReachesFromOneToTheOther) {
    const auto estimate = estimateOf({{"a", {1, 3}}, {"b", {4}}});
    ASSERT_TRUE(estimate);
    EXPECT_EQ(estimate->mean, 3) << "each prompt counts once";
    EXPECT_EQ(estimate->low, 2) << "a quarter of all samples are of a alone";
    EXPECT_EQ(estimate->high, 4);
    EXPECT_EQ(estimate->prompts, 2u);
    EXPECT_EQ(estimate->clips, 3u);
    EXPECT_FALSE(estimateOf({{"a", {1, 2, 3}}})->low) << "one prompt tells nothing of others";
    EXPECT_FALSE(estimateOf({{"a", {}}}));
}

TEST(Estimate, HasTheWidthThatTheNormalDistributionHas) {
    ByPrompt numbers;
    double sum = 0, squares = 0;
    for (int i = 0; i < 50; ++i) {
        const double value = (i * 37 % 50) / 10.0;
        numbers[std::to_string(i)] = {value};
        sum += value;
        squares += value * value;
    }
    const double mean = sum / 50, deviation = std::sqrt(squares / 50 - mean * mean);
    const auto estimate = estimateOf(numbers);
    EXPECT_NEAR(*estimate->low, mean - 1.96 * deviation / std::sqrt(50), 0.02);
    EXPECT_NEAR(*estimate->high, mean + 1.96 * deviation / std::sqrt(50), 0.02);
    EXPECT_EQ(estimateOf(numbers)->low, estimate->low) << "the same draws every time";
}

TEST(Gate, IsReadAndRefused) {
    const Gate gate = gateFrom("psnr>=40@95%").value();
    EXPECT_EQ(gate.percent, 95);
    EXPECT_TRUE(gate.isMetBy(40));
    EXPECT_FALSE(gate.isMetBy(39.9));
    const Gate low = gateFrom("flickering<=0.02").value();
    EXPECT_EQ(low.percent, 100);
    EXPECT_TRUE(low.isMetBy(0.01));
    for (const char* wrong :
         {"psnr", "psnr>40", "psnr>=", "psnr>=forty", "psnr>=40@95", "psnr>=40@0%", "psnr>=40@101%",
          "psnr>=40@nan%", "beauty>=1", "psnr>=nan", "psnr>=inf", "psnr>=-inf", "psnr>=101", "ssim>=2",
          "lpips<=-1", "flickering>=1.5", "peak_mib<=1e300"}) {
        const auto refused = gateFrom(wrong);
        ASSERT_FALSE(refused) << wrong;
        EXPECT_EQ(refused.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(refused.error().message, HasSubstr(std::string("--gate ") + wrong)) << wrong;
    }
}

TEST(Gate, OfANumberThatItsMeasureNeverHasSaysWhichItHas) {
    EXPECT_EQ(gateFrom("ssim>=2").error().message,
              "--gate ssim>=2: for SSIM a number from -1 to 1 was needed");
    for (const char* edge : {"psnr>=100", "ssim>=1", "vmaf>=0@50%", "denoise_seconds<=3600"})
        EXPECT_TRUE(gateFrom(edge)) << edge;
}

/// Two prompts, two seeds, two backends: fav2's PSNR is 30, 32, 40, 42; it takes half as long.
SuiteResult sumOf(const char* gate) {
    SuitePlan plan = planOf({{"prompts", {"a", "b"}}, {"seeds", {1, 2}}, {"types", {"sdpa", "fav2"}}});
    std::vector<SuiteRow> rows;
    const double psnr[] = {30, 32, 40, 42};
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
        SuiteRow row{i, "/suite/" + std::to_string(i) + ".mp4", {}, {}};
        row.measured["denoise_seconds"] = i % 2 == 0 ? 10 + double(i) : 5 + double(i - 1) / 2;
        if (i % 2 == 1) row.measured["psnr"] = psnr[i / 2];
        rows.push_back(row);
    }
    return sumUp(std::move(plan), std::move(rows), gateFrom(gate).value());
}

const MeasureSummary* find(const ValueSummary& value, const std::string& key) {
    for (const MeasureSummary& summary : value.measures)
        if (key == summary.measure->key) return &summary;
    return nullptr;
}

TEST(SuiteResult, ComparesClipsThatAgreeInAllElse) {
    const SuiteResult result = sumOf("psnr>=31@75%");
    ASSERT_EQ(result.values.size(), 2u) << "prompts and seeds are what is averaged over";
    const ValueSummary& fav2 = result.values[1];
    const MeasureSummary* psnr = find(fav2, "psnr");
    ASSERT_NE(psnr, nullptr);
    EXPECT_EQ(psnr->all.mean, 36);
    EXPECT_EQ(psnr->all.low, 31);
    EXPECT_EQ(psnr->all.high, 41);
    EXPECT_FALSE(psnr->difference) << "sdpa has no PSNR against itself";
    const MeasureSummary* seconds = find(fav2, "denoise_seconds");
    ASSERT_TRUE(seconds->difference);
    EXPECT_EQ(seconds->difference->mean, -(5 + 6 + 7 + 8) / 4.0);
    EXPECT_EQ(seconds->difference->low, -7.5);
    EXPECT_EQ(seconds->difference->high, -5.5);
    EXPECT_EQ(seconds->winRate, 1);
    EXPECT_THAT(fav2.worst, ElementsAre(1u, 3u, 5u));
    EXPECT_EQ(find(result.values[0], "psnr"), nullptr);
    EXPECT_TRUE(result.passed()) << "three of four";
    EXPECT_FALSE(sumOf("psnr>=31@76%").passed());
    EXPECT_FALSE(sumOf("ssim>=0.5").passed()) << "nothing measured is nothing passed";
}

TEST(SuiteResult, AFailedJobFailsTheGate) {
    SuiteResult result = sumOf("psnr>=1");
    EXPECT_TRUE(result.passed());
    std::vector<SuiteRow> rows = result.rows;
    rows[3].error = Error{ErrorCode::OutOfMemory, "no memory"};
    rows[3].measured.clear();
    EXPECT_FALSE(sumUp(result.plan, rows, result.gate).passed());
}

TEST(SuiteResult, AClipThatWasNotMeasuredHasNotMetTheGate) {
    const SuiteResult result = sumOf("psnr>=1");
    std::vector<SuiteRow> rows = result.rows;
    rows[3].measured.erase("psnr");
    const SuiteResult lacking = sumUp(result.plan, rows, result.gate);
    EXPECT_FALSE(lacking.passed());
    EXPECT_THAT(suiteText(lacking), HasSubstr("3 of 4 clips meet psnr>=1: failed"));
}

TEST(SuiteResult, SaysWhatRanInPlaceOfABackend) {
    const SuiteResult asked = sumOf("psnr>=31@75%");
    std::vector<SuiteRow> rows = asked.rows;
    for (const std::size_t i : {1u, 3u}) {
        rows[i].remark = "ran sdpa";
        rows[i].why = {"self-attention: fav2 was asked for, sdpa ran 8 calls (head dim 512)"};
    }
    const SuiteResult some = sumUp(asked.plan, rows, asked.gate);
    EXPECT_EQ(some.values[0].remark, "");
    EXPECT_EQ(some.values[1].remark, "2 of 4 clips ran sdpa");
    for (SuiteRow& row : rows)
        if (row.job % 2 == 1) row.remark = "ran sdpa";
    const SuiteResult all = sumUp(asked.plan, rows, asked.gate);
    const std::string text = suiteText(all), page = suiteHtml(all, "s", "/suite");
    for (const std::string& shown : {text, page}) {
        EXPECT_THAT(shown, HasSubstr("fav2 (ran sdpa)"));
        EXPECT_THAT(shown, HasSubstr("fav2 (ran sdpa): 3 of 4 clips meet"));
        EXPECT_THAT(shown, HasSubstr("2 clips: self-attention: fav2 was asked for, sdpa ran 8 calls"));
    }
    EXPECT_THAT(suiteText(asked), Not(HasSubstr("ran sdpa")));
    for (int i = 0; i < 30; ++i) rows[0].why.push_back("line " + std::to_string(i));
    const auto lines = whyLinesOf(rows);
    ASSERT_EQ(lines.size(), 11U);
    EXPECT_THAT(lines.front(), HasSubstr("2 clips: self-attention: fav2 was asked for"));
    EXPECT_EQ(lines.back(), "and 21 more such lines");
    const json document = toJson(all, "/suite");
    EXPECT_EQ(document["jobs"][0]["remark"], "");
    EXPECT_EQ(document["jobs"][1]["remark"], "ran sdpa");
    EXPECT_EQ(document["values"][1]["remark"], "ran sdpa");
    EXPECT_EQ(document["gate"]["outcomes"][0]["remark"], "ran sdpa");
}

/// What another suite's clip was computed by is another picture.
TEST(SuiteResult, IsNotComparedWhereAnotherBackendRan) {
    const session::SessionFolder folder;
    SuiteResult now = sumOf("psnr>=31@75%");
    json there = toJson(now, "/suite");
    for (json& job : there["jobs"]) job["remark"] = "ran sdpa";
    ASSERT_TRUE(writeFile(folder.path() / "suite.json", there.dump()));
    compareWith(now, readOtherSuite(folder.path() / "suite.json").value());
    EXPECT_TRUE(now.against.empty());
    EXPECT_THAT(linesOf(*now.againstNotes, now.plan),
                testing::Contains(HasSubstr(R"(what ran "as asked" here, "ran sdpa" there)")));
    for (json& job : there["jobs"]) job.erase("remark");
    ASSERT_TRUE(writeFile(folder.path() / "suite.json", there.dump()));
    compareWith(now, readOtherSuite(folder.path() / "suite.json").value());
    EXPECT_EQ(now.against.size(), 2u) << "an earlier version's file doesn't say";
}

TEST(SuiteResult, AGateOfWhatNobodyMeasuredSaysSo) {
    const SuiteResult result = sumOf("lpips<=0.1");
    EXPECT_FALSE(result.passed());
    for (const std::string& shown : {suiteText(result), unmeasuredGate(result)})
        EXPECT_THAT(shown, HasSubstr("lpips<=0.1: no clip was measured for it: failed"));
    EXPECT_THAT(suiteHtml(result, "s", "/suite"), HasSubstr("no clip was measured for it: failed"));
    EXPECT_EQ(unmeasuredGate(sumOf("psnr>=31")), "");
}

TEST(SuiteGate, IsRefusedWhereNoClipCanBeMeasuredForIt) {
    const SuiteResult pair = sumOf("psnr>=31");
    const auto whyNot = [](const SuiteResult& suite, const char* gate,
                           std::vector<std::string> metrics = {}) {
        const auto can = requireMeasurable(gateFrom(gate).value(), suite.plan, suite.rows, metrics);
        if (can) return std::string();
        EXPECT_EQ(can.error().code, ErrorCode::BadUsage);
        return can.error().message;
    };
    EXPECT_EQ(whyNot(pair, "psnr>=31"), "");
    EXPECT_EQ(whyNot(pair, "denoise_seconds<=9"), "");
    EXPECT_EQ(
        whyNot(pair, "lpips<=0.1@90%"),
        "--gate lpips<=0.1@90%: LPIPS is measured only where it is asked for; --metrics lpips was needed");
    EXPECT_EQ(whyNot(pair, "lpips<=0.1", {"clip", "lpips"}), "");
    EXPECT_THAT(whyNot(pair, "clip_score>=20", {"lpips"}),
                HasSubstr("--metrics clip or clip_l14 was needed"));
    EXPECT_EQ(whyNot(pair, "clip_score>=20", {"clip_l14"}), "");

    SuiteResult alone;
    alone.plan = planOf({{"prompts", {"a", "b"}}, {"types", {"sdpa"}}});
    for (std::size_t i = 0; i < alone.plan.jobs.size(); ++i)
        alone.rows.push_back({i, "/suite/" + std::to_string(i) + ".mp4", {}, {}});
    EXPECT_THAT(whyNot(alone, "psnr>=31"),
                HasSubstr("--gate psnr>=31: PSNR is measured against the clip of"));
    EXPECT_THAT(whyNot(alone, "lpips<=0.1", {"lpips"}), HasSubstr("two or more \"types\" were needed"));
    EXPECT_EQ(whyNot(alone, "flickering>=0.5"), "");
}

TEST(SuiteGate, NeedsClipsThatAreLargeEnoughForIt) {
    const auto whyNot = [](const std::string& gate, std::vector<ClipExtent> clips) {
        const auto fits = requireLargeEnough(gateFrom(gate).value(), clips);
        if (fits) return std::string();
        EXPECT_EQ(fits.error().code, ErrorCode::BadUsage);
        return fits.error().message;
    };
    EXPECT_EQ(whyNot("ms_ssim>=0.9", {{64, 480, 5}, {64, 64, 5}}),
              "--gate ms_ssim>=0.9: MS-SSIM needs sides of 161 pixels or more, which no clip has "
              "(the first: 64x480, 5 frames)");
    EXPECT_EQ(whyNot("ms_ssim>=0.9", {{64, 64, 5}, {161, 320, 1}}), "");
    EXPECT_THAT(whyNot("flickering>=0.1", {{832, 480, 1}}),
                HasSubstr("needs 2 frames or more, which no clip has (the first: 832x480, 1 frame)"));
    EXPECT_EQ(whyNot("flickering>=0.1", {{832, 480, 2}}), "");
    EXPECT_EQ(whyNot("psnr>=31", {{8, 8, 1}}), "");
}

/// A clip that lies there may have been measured by `metrics --keep`.
TEST(SuiteGate, TakesWhatWasMeasuredBefore) {
    const session::SessionFolder folder;
    SuiteResult pair = sumOf("psnr>=31");
    for (SuiteRow& row : pair.rows) row.clip = folder.path() / row.clip.filename();
    const auto gate = gateFrom("clip_score>=20").value();
    EXPECT_FALSE(requireMeasurable(gate, pair.plan, pair.rows, {}));
    const auto companions = protocol::resultFolderOf(pair.rows[3].clip);
    std::filesystem::create_directories(companions);
    metrics::ClipMetrics measured;
    measured.clipScore = metrics::seriesOf({25, 25});
    ASSERT_TRUE(writeFile(companions / protocol::kMetricsFile, result::toJson(measured).dump()));
    EXPECT_TRUE(requireMeasurable(gate, pair.plan, pair.rows, {}));
}

TEST(SuiteResult, ATieIsNotBetter) {
    const SuiteResult earlier = sumOf("psnr>=1");
    std::vector<SuiteRow> rows = earlier.rows;
    for (SuiteRow& row : rows) row.measured["denoise_seconds"] = row.job == 1 ? 4 : 5;
    const SuiteResult result = sumUp(earlier.plan, rows, earlier.gate);
    EXPECT_EQ(find(result.values[1], "denoise_seconds")->winRate, 0.25);
}

TEST(SuiteResult, IsWrittenAndComparedWithAnother) {
    const session::SessionFolder folder;
    const SuiteResult earlier = sumOf("psnr>=31@75%");
    const auto file = folder.path() / "suite.json";
    ASSERT_TRUE(writeFile(file, toJson(earlier, "/suite").dump()));
    std::vector<SuiteRow> rows = earlier.rows;
    for (SuiteRow& row : rows)
        if (row.measured.contains("psnr")) row.measured["psnr"] += 2;
    SuiteResult now = sumUp(earlier.plan, rows, earlier.gate);
    const auto other = readOtherSuite(file);
    ASSERT_TRUE(other) << other.error().message;
    compareWith(now, *other);
    ASSERT_EQ(now.against.size(), 2u);
    const auto& fav2 = now.against[0].value == "fav2" ? now.against[0] : now.against[1];
    for (const MeasureSummary& summary : fav2.measures)
        if (std::string(summary.measure->key) == "psnr") {
            EXPECT_EQ(summary.difference->mean, 2);
            EXPECT_EQ(summary.difference->low, 2);
            EXPECT_EQ(summary.winRate, 1);
        }
    const json document = toJson(now, "/suite");
    EXPECT_EQ(document["jobs"].size(), 8u);
    EXPECT_EQ(document["jobs"][1]["clip"], "1.mp4");
    EXPECT_EQ(document["values"][1]["measures"]["psnr"]["mean"], 38);
    EXPECT_EQ(document["gate"]["passed"], true);
    const std::string page = suiteHtml(now, "a <suite>", "/suite");
    EXPECT_THAT(page, HasSubstr("a &lt;suite&gt;"));
    EXPECT_THAT(page, HasSubstr("38.00 dB (33.00 to 43.00)"));
    EXPECT_THAT(page, HasSubstr("+2.00 dB (+2.00 to +2.00)"));
    EXPECT_THAT(page, HasSubstr("4 of 4 clips meet psnr&gt;=31@75%: passed"));
    EXPECT_THAT(page, HasSubstr("href=\"1.mp4\""));
}

/// Everything that a suite's result can have, at random.
SuiteResult randomResult(protocol::RandomValues& random, const std::filesystem::path& folder) {
    SuitePlan plan;
    for (const char* key : {"prompt", "step_cache", "lora", "attention_type"}) {
        if (random.coin()) continue;
        Axis axis{key, {}};
        for (int count = random.integer(1, 3); count > 0; --count) {
            const std::string own = std::to_string(count);
            axis.values.push_back(random.coin()   ? json(own + random.text(100))
                                  : random.coin() ? json(count + random.number(0, 0.5))
                                                  : json{own, random.text(9)});
        }
        plan.axes.push_back(axis);
    }
    EXPECT_TRUE(expand(plan));
    std::vector<SuiteRow> rows;
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
        const std::string name =
            std::to_string(i) + random.oneOf<std::string>({".mp4", " é\".webm", "\\.gif"});
        SuiteRow row{i, folder / "0001-a" / "results" / name, {}, {}};
        if (random.integer(0, 4) == 0) row.error = Error{ErrorCode::Internal, random.text(200)};
        for (const SuiteMeasure& measure : suiteMeasures())
            if (random.coin()) row.measured[measure.key] = random.number(0, 999);
        if (!row.error && random.coin()) row.remark = random.text(50);
        for (int lines = random.integer(0, 3); lines > 0; --lines) row.why.push_back(random.text(100));
        rows.push_back(row);
    }
    std::optional<Gate> gate;
    if (random.coin()) gate = gateFrom("psnr>=31@75%").value();
    SuiteResult result = sumUp(std::move(plan), std::move(rows), gate);
    if (random.coin() && !result.values.empty())
        result.against.push_back(
            {random.text(100), random.text(100), result.values.back().measures, random.text(50)});
    if (random.coin()) {
        AgainstNotes& notes = result.againstNotes.emplace();
        notes = {random.text(100), {random.text(100)}, {}, random.whole() >> 1, random.whole() >> 1, {}};
        if (random.coin())
            notes.notCompared.push_back(
                {random.oneOf<NotCompared::What>(
                     {NotCompared::What::All, NotCompared::What::Cost, NotCompared::What::Drift}),
                 {{random.text(100), random.text(100), json()}},
                 {result.rows.size() - 1}});
    }
    return result;
}

TEST(SuiteFile, IsReadAsItWasWritten) {
    const session::SessionFolder folder;
    const auto file = folder.path() / kSuiteFile;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        protocol::RandomValues random(seed);
        const SuiteResult written = randomResult(random, folder.path());
        ASSERT_TRUE(writeFile(file, toJson(written, folder.path()).dump()));
        const auto read = readSuite(file);
        ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
        ASSERT_EQ(toJson(*read, folder.path()), toJson(written, folder.path())) << "seed " << seed;
        ASSERT_EQ(read->passed(), written.passed());
        ASSERT_EQ(read->rows.size(), written.rows.size());
        for (std::size_t i = 0; i < written.rows.size(); ++i) {
            ASSERT_EQ(read->rows[i].clip, written.rows[i].clip) << "seed " << seed;
            ASSERT_EQ(read->plan.jobs[i].reference, written.plan.jobs[i].reference);
            ASSERT_EQ(read->plan.jobs[i].subject, written.plan.jobs[i].subject);
        }
    }
}

TEST(SuiteFile, SaysWhatIsWrongWithIt) {
    const session::SessionFolder folder;
    const auto file = folder.path() / kSuiteFile;
    const json good = toJson(sumOf("psnr>=31@75%"), "/suite");
    ASSERT_TRUE(isSuite(good));
    EXPECT_FALSE(isSuite(json::array()));
    EXPECT_FALSE(isSuite({{"clips", json::array()}}));
    ASSERT_TRUE(suiteFromJson(good, folder.path()));
    const auto refusal = [&](const char* pointer, const json& value) {
        json changed = good;
        changed[json::json_pointer(pointer)] = value;
        EXPECT_TRUE(writeFile(file, changed.dump()));
        const auto read = readSuite(file);
        EXPECT_FALSE(read) << pointer;
        if (!read) {
            EXPECT_EQ(read.error().code, ErrorCode::InvalidData);
            EXPECT_THAT(read.error().message, HasSubstr(file.string()));
        }
        return read ? std::string() : read.error().message;
    };
    EXPECT_THAT(refusal("/version", 2), HasSubstr("version 2: 1 was needed"));
    EXPECT_THAT(refusal("/jobs/1/clip", "../1.mp4"), HasSubstr("job 2: clip \"../1.mp4\": a file inside"));
    EXPECT_THAT(refusal("/jobs/1/clip", "/etc/passwd"), HasSubstr("a file inside the suite's folder"));
    EXPECT_THAT(refusal("/jobs/1/clip", ""), HasSubstr("a file inside the suite's folder"));
    EXPECT_THAT(refusal("/jobs/1/clip", 7), HasSubstr("clip 7"));
    EXPECT_THAT(refusal("/jobs/1/axes/seed", 2), HasSubstr("job 2: axes"));
    EXPECT_THAT(refusal("/jobs/1/measures/psnr", "good"), HasSubstr("psnr \"good\""));
    EXPECT_THAT(refusal("/jobs/1/measures/denoise_seconds", -3), HasSubstr("denoise_seconds -3"));
    EXPECT_THAT(refusal("/jobs/1/measures/psnr", 1e308), HasSubstr("psnr 1e"));
    EXPECT_THAT(refusal("/jobs/1", 7), HasSubstr("job 2 7: an object was needed"));
    EXPECT_THAT(refusal("/jobs", json::array()), HasSubstr("0 jobs, the 8 of its axes were needed"));
    EXPECT_THAT(refusal("/axes/0/values", json::array()), HasSubstr("axis 1: values []"));
    EXPECT_THAT(refusal("/axes/0/key", "seed"), HasSubstr("axis 2: key \"seed\" once more"));
    EXPECT_THAT(refusal("/axes/0/key", "attention_type"), HasSubstr("axis 3: key"));
    EXPECT_THAT(refusal("/axes/0/values/0", std::string(70000, 'a')), HasSubstr("more than 65536 bytes"));
    EXPECT_THAT(refusal("/values/0/axis", "colour"), HasSubstr("a value of one of the axes was needed"));
    EXPECT_THAT(refusal("/values/1/worst/0", 8), HasSubstr("worst 8: 0 to 7 was needed"));
    EXPECT_THAT(refusal("/values/1/worst/0", -1), HasSubstr("worst -1"));
    EXPECT_THAT(refusal("/values/1/measures/psnr/mean", nullptr), HasSubstr("mean"));
    EXPECT_THAT(refusal("/values/1/measures/denoise_seconds/win_rate", 2), HasSubstr("win_rate 2"));
    EXPECT_THAT(refusal("/values/1/measures/psnr/mean", 1e30), HasSubstr("a mean within its interval"));
    EXPECT_THAT(refusal("/values/1/measures/psnr/clips", 1000000000), HasSubstr("1000000000 clips of"));
    EXPECT_THAT(refusal("/values/1/measures/psnr/clips", 0), HasSubstr("0 clips of 2 prompts"));
    EXPECT_THAT(refusal("/gate/outcomes/0/passed", !good["gate"]["outcomes"][0]["passed"].get<bool>()),
                HasSubstr(" was needed"));
    EXPECT_THAT(refusal("/gate/text", "psnr"), HasSubstr("gate: "));
    EXPECT_THAT(refusal("/gate/outcomes/0/met", 99), HasSubstr("99 of 4 clips"));
    json large = good;
    json many = json::array();
    for (int i = 0; i < 200; ++i) many.push_back(i);
    large["axes"][0]["values"] = large["axes"][1]["values"] = many;
    EXPECT_THAT(suiteFromJson(large, folder.path()).error().message, HasSubstr("more than 20000 renders"));
    EXPECT_EQ(readSuite(folder.path() / "missing.json").error().code, ErrorCode::NotFound);
}

TEST(SuiteFile, FollowsNoLinkOutOfItsFolder) {
    const session::SessionFolder folder, elsewhere;
    std::filesystem::create_directory_symlink(elsewhere.path(), folder.path() / "out");
    json document = toJson(sumOf("psnr>=31"), "/suite");
    document["jobs"][0]["clip"] = "out/a.mp4";
    EXPECT_THAT(suiteFromJson(document, folder.path()).error().message,
                HasSubstr("job 1: clip \"out/a.mp4\": a file inside the suite's folder was needed"));
}

/// As sumOf(), of three backends.
SuiteResult threeBackends() {
    SuitePlan plan = planOf({{"prompts", {"a", "b"}}, {"seeds", {1, 2}}, {"types", {"sdpa", "fav2", "sla"}}});
    std::vector<SuiteRow> rows;
    for (std::size_t i = 0; i < plan.jobs.size(); ++i)
        rows.push_back({i, "/suite/" + std::to_string(i) + ".mp4", {}, {}});
    return sumUp(std::move(plan), std::move(rows), {});
}

TEST(SuiteVotes, EveryPairOfValuesIsShownAsOftenOnEverySubject) {
    SuiteResult suite = threeBackends();
    suite.rows[4].error = Error{ErrorCode::OutOfMemory, "no memory"};  // fav2 of the second subject
    std::vector<session::BlindVote> votes;
    std::mt19937 chance(7);
    std::map<std::pair<std::size_t, std::size_t>, int> ofValues;
    std::map<std::size_t, int> ofSubjects;
    int firstIsLeft = 0;
    for (int i = 0; i < 300; ++i) {
        const auto pair = nextSuitePair(suite, 2, votes, chance);
        ASSERT_TRUE(pair);
        const SuiteJob &left = suite.plan.jobs[pair->first], &right = suite.plan.jobs[pair->second];
        ASSERT_EQ(left.subject, right.subject);
        ASSERT_NE(left.at[2], right.at[2]);
        ASSERT_FALSE(suite.rows[pair->first].error || suite.rows[pair->second].error);
        ++ofValues[std::minmax(left.at[2], right.at[2])];
        ++ofSubjects[left.subject];
        firstIsLeft += left.at[2] < right.at[2];
        // The lower value always wins.
        votes.push_back(
            {suite.rows[pair->first].clip, suite.rows[pair->second].clip,
             left.at[2] < right.at[2] ? session::Preference::First : session::Preference::Second});
    }
    ASSERT_EQ(ofValues.size(), 3u);
    for (const auto& [values, count] : ofValues) EXPECT_EQ(count, 100);
    EXPECT_EQ(ofSubjects.size(), 4u);
    EXPECT_NEAR(firstIsLeft, 150, 40) << "the sides are chosen by chance";
    const auto standings = standingsOf(suite, 2, votes);
    ASSERT_EQ(standings.size(), 3u);
    EXPECT_EQ(standings[0].clip, "sdpa");
    EXPECT_EQ(standings[0].votes, 200);
    EXPECT_EQ(standings[0].preferred, 200);
    EXPECT_EQ(standings[1].preferred, 100);
    EXPECT_EQ(standings[2].preferred, 0);
    EXPECT_EQ(standingsOf(suite, 1, votes)[0].votes, 0) << "of backends, not of seeds";
    for (SuiteRow& row : suite.rows) row.error = Error{ErrorCode::Io, "gone"};
    EXPECT_FALSE(nextSuitePair(suite, 2, votes, chance));
}

TEST(SuiteVotes, AreReadAsTheyWereWrittenAndCheckedFirst) {
    using session::Preference;
    const session::SessionFolder folder;
    const auto file = folder.path() / kVotesFile;
    EXPECT_TRUE(readVotes(file).value().empty()) << "nobody voted";
    const std::vector<session::BlindVote> votes{
        {folder.path() / "a/1.mp4", folder.path() / "a/2 é.mp4", Preference::First},
        {folder.path() / "a/1.mp4", folder.path() / "a/3.mp4", Preference::Second, std::string(64, '0'),
         std::string(64, 'e')},
        {folder.path() / "b/1.mp4", folder.path() / "b/3.mp4", Preference::Neither}};
    ASSERT_TRUE(saveVotes(votes, file));
    EXPECT_EQ(readVotes(file).value(), votes);
    const auto refusal = [&](const char* text) {
        EXPECT_TRUE(writeFile(file, text));
        const auto read = readVotes(file);
        EXPECT_FALSE(read) << text;
        return read ? std::string() : read.error().message;
    };
    EXPECT_THAT(refusal("["), HasSubstr(file.string()));
    EXPECT_THAT(refusal(R"({"version": 2, "votes": []})"), HasSubstr("version 2: 1 was needed"));
    EXPECT_THAT(refusal(R"({"version": 1, "votes": [7]})"), HasSubstr("vote 1 7: an object was needed"));
    EXPECT_THAT(
        refusal(R"({"version": 1, "votes": [{"first": "../a", "second": "b", "preferred": "first"}]})"),
        HasSubstr("vote 1: clip \"../a\": a file inside the suite's folder was needed"));
    EXPECT_THAT(refusal(R"({"version": 1, "votes": [{"first": "a", "second": "b", "preferred": "both"}]})"),
                HasSubstr("preferred \"both\": first, second or neither was needed"));
    EXPECT_THAT(
        refusal(
            R"({"version": 1, "votes": [{"first": "a", "second": "b", "preferred": "first", "first_sha256": "5d"}]})"),
        HasSubstr("vote 1: first_sha256 \"5d\": 64 hex digits in lower case were needed"));
}

TEST(SuiteVotes, OnAnAxisAreThoseOfClipsThatDifferThereAlone) {
    const SuiteResult suite = threeBackends();
    const auto clip = [&](std::size_t row) { return suite.rows[row].clip; };
    const std::vector<session::BlindVote> votes{{clip(0), clip(1), session::Preference::First},
                                                {clip(0), clip(3), session::Preference::First},
                                                {clip(0), "/elsewhere.mp4", session::Preference::First}};
    EXPECT_THAT(votesOn(suite, 2, votes), ElementsAre(votes[0])) << "of backends";
    EXPECT_THAT(votesOn(suite, 1, votes), ElementsAre(votes[1])) << "of seeds";
}

}  // namespace
}  // namespace reelgrid::suite
