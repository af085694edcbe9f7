#include "core/suite/suite_comparison.h"

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/suite/manifest_part.h"
#include "core/suite/suite_file.h"
#include "core/suite/suite_report.h"
#include "tests/protocol/random_values.h"
#include "tests/session/session_folder.h"

namespace reelgrid::suite {
namespace {

using comparison::differencesBetween;
using nlohmann::json;
using result::Manifest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Change = std::function<void(const SuiteJob&, Manifest&)>;

/// What a job's clip would say of itself.
Manifest rendered(const SuiteJob& job) {
    Manifest manifest;
    catalog::RenderSettings& settings = manifest.settings.emplace();
    settings.prompt = job.request.prompt;
    settings.seed = job.request.seed;
    settings.attentionType = job.request.attentionType;
    settings.width = settings.height = 48;
    settings.numFrames = 5;
    settings.vaeTilePx = protocol::kTilePixels;
    settings.fps = 16;
    settings.numInferenceSteps = 8;
    settings.guidanceScale = 2.5;
    settings.dtype = "bf16";
    settings.vaeTiling = protocol::kTilingOff;
    settings.device = manifest.device = "cpu";
    manifest.processor = "EPYC";
    manifest.instructionSet = "avx512";
    manifest.threads = 2;
    manifest.versions = {{"reelgrid", "0.2"}};
    manifest.modelId = "demo";
    manifest.modelHashes = {{"vae", std::string(64, '1')}, {"transformer", std::string(64, '2')}};
    return manifest;
}

/// Two prompts, a seed, two backends: 30 dB of what isn't the reference, 4 s each.
SuiteResult suiteOf(const Change& change = {}, const json& types = {"sdpa", "fav2"}) {
    auto plan = suitePlanFrom({{"prompts", {"a", "b"}}, {"seeds", {1}}, {"types", types}}, ".");
    EXPECT_TRUE(plan);
    std::vector<SuiteRow> rows;
    for (std::size_t i = 0; i < plan->jobs.size(); ++i) {
        SuiteRow row{i, "/suite/" + std::to_string(i) + ".mp4", {}, {}};
        row.measured["denoise_seconds"] = 4;
        row.measured["flickering"] = 0.9;
        if (plan->jobs[i].reference != i) row.measured["psnr"] = 30;
        row.manifest = rendered(plan->jobs[i]);
        if (change) change(plan->jobs[i], *row.manifest);
        rows.push_back(row);
    }
    return sumUp(*std::move(plan), std::move(rows), {});
}

class SuiteComparison : public testing::Test {
  protected:
    /// Puts `there` into a file, as it was or after `edit`, and compares with it.
    SuiteResult compared(SuiteResult here, const SuiteResult& there,
                         const std::function<void(json&)>& edit = {}) {
        json document = toJson(there, "/suite");
        if (edit) edit(document);
        EXPECT_TRUE(writeFile(m_folder.path() / kSuiteFile, document.dump()));
        const auto other = readOtherSuite(m_folder.path() / kSuiteFile);
        EXPECT_TRUE(other) << other.error().message;
        if (other) compareWith(here, *other);
        return here;
    }
    session::SessionFolder m_folder;
};

const MeasureSummary* find(const SuiteResult& result, const std::string& backend, const std::string& key) {
    for (const SuiteResult::Against& against : result.against)
        for (const MeasureSummary& summary : against.measures)
            if (against.value == backend && key == summary.measure->key) return &summary;
    return nullptr;
}

std::vector<std::string> linesOf(const SuiteResult& result) {
    return linesOf(*result.againstNotes, result.plan);
}

TEST_F(SuiteComparison, ComparesWhatIsTheSameRender) {
    const SuiteResult result = compared(suiteOf(), suiteOf());
    EXPECT_THAT(result.againstNotes->notCompared, IsEmpty());
    ASSERT_NE(find(result, "fav2", "psnr"), nullptr);
    EXPECT_EQ(find(result, "fav2", "psnr")->difference->mean, 0);
    EXPECT_EQ(find(result, "fav2", "psnr")->difference->clips, 2u);
    ASSERT_NE(find(result, "sdpa", "denoise_seconds"), nullptr);
    EXPECT_THAT(linesOf(result), ElementsAre("rendered on cpu: EPYC, avx512, 2 threads; reelgrid 0.2, both "
                                             "here and there"));
}

TEST_F(SuiteComparison, NamesEachFieldOfASharedRequestThatDiffers) {
    const SuiteResult there = suiteOf([](const SuiteJob&, Manifest& manifest) {
        manifest.settings->numInferenceSteps = 4;
        manifest.settings->scheduler = "euler";
        manifest.settings->offload = protocol::kOffloadBlocks;
    });
    const SuiteResult result = compared(suiteOf(), there);
    EXPECT_THAT(result.against, IsEmpty()) << "no figure as though they were alike";
    ASSERT_THAT(result.againstNotes->notCompared, SizeIs(1));
    EXPECT_THAT(result.againstNotes->notCompared[0].jobs, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(linesOf(result),
                ElementsAre("not compared: 'a / 1 / sdpa' and 3 more: num_inference_steps 8 here, 4 there; "
                            "scheduler none here, \"euler\" there; offload \"auto\" here, \"blocks\" there"));
    EXPECT_THAT(suiteText(result), HasSubstr("num_inference_steps 8 here, 4 there"));
    const std::string page = suiteHtml(result, "a", "/suite");
    EXPECT_THAT(page, HasSubstr("num_inference_steps 8 here, 4 there"));
    EXPECT_THAT(page, HasSubstr("No clip could be compared"));
    const json notes = toJson(result, "/suite")["against_notes"];
    EXPECT_EQ(notes["not_compared"][0]["what"], "all");
    EXPECT_EQ(notes["not_compared"][0]["fields"][0],
              json::parse(R"({"field": "num_inference_steps", "here": 8, "there": 4})"));
    EXPECT_EQ(notes["not_compared"][0]["fields"][1],
              json::parse(R"({"field": "scheduler", "there": "euler"})"));
}

TEST_F(SuiteComparison, LeavesOutOnlyTheJobsThatDiffer) {
    const SuiteResult there = suiteOf([](const SuiteJob& job, Manifest& manifest) {
        if (job.request.prompt == "b") manifest.settings->width = 64;
    });
    const SuiteResult result = compared(suiteOf(), there);
    ASSERT_NE(find(result, "fav2", "psnr"), nullptr);
    EXPECT_EQ(find(result, "fav2", "psnr")->all.clips, 1u);
    EXPECT_EQ(find(result, "fav2", "denoise_seconds")->all.clips, 1u);
    EXPECT_THAT(linesOf(result).front(), HasSubstr("not compared: 'b / 1 / sdpa' and 1 more: width"));
}

TEST_F(SuiteComparison, OfRendersThatOnlyTakeOtherTimeComparesTheRest) {
    const SuiteResult there = suiteOf([](const SuiteJob&, Manifest& manifest) {
        manifest.settings->offload = protocol::kOffloadBlocks;
        manifest.settings->recipe = "turbo";
        manifest.settings->ulyssesDegree = 1;
    });
    const SuiteResult result = compared(suiteOf(), there);
    EXPECT_NE(find(result, "fav2", "psnr"), nullptr);
    EXPECT_NE(find(result, "fav2", "flickering"), nullptr);
    EXPECT_EQ(find(result, "fav2", "denoise_seconds"), nullptr);
    EXPECT_EQ(linesOf(result).front(),
              "time and memory not compared: 'a / 1 / sdpa' and 3 more: offload \"auto\" here, \"blocks\" "
              "there");
}

TEST_F(SuiteComparison, SaysOnWhichMachinesTimesWereTaken) {
    const auto onGpu = [](const char* device, const char* name) {
        return [=](const SuiteJob&, Manifest& manifest) {
            manifest.settings->device = manifest.device = device;
            manifest.deviceName = name;
            manifest.processor = manifest.instructionSet = "";
        };
    };
    SuiteResult result = compared(suiteOf(), suiteOf(onGpu("cuda:0", "NVIDIA H100")));
    EXPECT_EQ(result.againstNotes->otherMachines, 4u);
    EXPECT_NE(find(result, "fav2", "denoise_seconds"), nullptr);
    EXPECT_THAT(linesOf(result),
                ElementsAre("4 of the clips were rendered on other machines there: differences in time and "
                            "memory are those machines', too",
                            "rendered on cpu: EPYC, avx512, 2 threads; reelgrid 0.2 here, on cuda: NVIDIA "
                            "H100; reelgrid 0.2 there"));
    EXPECT_THAT(suiteHtml(result, "a", "/suite"), HasSubstr("NVIDIA H100"));
    EXPECT_THAT(suiteText(result), HasSubstr("NVIDIA H100"));
    result = compared(suiteOf(onGpu("cuda:1", "NVIDIA H100")), suiteOf(onGpu("cuda:0", "NVIDIA H100")));
    EXPECT_EQ(result.againstNotes->otherMachines, 0u);
    result = compared(suiteOf(onGpu("cuda:0", "NVIDIA H200")), suiteOf(onGpu("cuda:0", "NVIDIA H100")));
    EXPECT_EQ(result.againstNotes->otherMachines, 4u);
    result = compared(suiteOf(), suiteOf([](const SuiteJob&, Manifest& manifest) { manifest.threads = 64; }));
    EXPECT_EQ(result.againstNotes->otherMachines, 4u);
    // What isn't known is no difference.
    result =
        compared(suiteOf(), suiteOf([](const SuiteJob&, Manifest& manifest) { manifest.processor = ""; }));
    EXPECT_EQ(result.againstNotes->otherMachines, 0u);
}

TEST_F(SuiteComparison, OfAFileThatDoesNotSayWhatWasRenderedItSaysThat) {
    const SuiteResult result = compared(suiteOf(), suiteOf(), [](json& document) {
        document.erase("manifest");
        for (json& job : document["jobs"]) job.erase("manifest");
    });
    EXPECT_EQ(result.againstNotes->untold, 4u);
    EXPECT_NE(find(result, "fav2", "psnr"), nullptr);
    EXPECT_THAT(linesOf(result), ElementsAre(HasSubstr("doesn't say what 4 of its clips are renders of")));
}

TEST_F(SuiteComparison, WhatIsMeasuredAgainstAnotherReferenceIsNotCompared) {
    const SuiteResult result =
        compared(suiteOf({}, {"sdpa", "fav2", "sagev1"}), suiteOf({}, {"sagev1", "fav2"}));
    EXPECT_EQ(find(result, "fav2", "psnr"), nullptr);
    EXPECT_NE(find(result, "fav2", "denoise_seconds"), nullptr);
    EXPECT_NE(find(result, "sagev1", "denoise_seconds"), nullptr);
    EXPECT_EQ(linesOf(result).front(),
              "what is measured against the reference not compared: 'a / 1 / fav2' and 1 more: "
              "reference.attention_type \"sdpa\" here, \"sagev1\" there");
}

TEST_F(SuiteComparison, FieldsThatAnEarlierVersionLackedAreWhatTheyWereByDefault) {
    const SuiteResult result = compared(suiteOf(), suiteOf(), [](json& document) {
        ASSERT_EQ(document["manifest"]["settings"].erase("free_init"), 1u);
        ASSERT_EQ(document["manifest"]["settings"].erase("context_stride"), 1u);
    });
    EXPECT_THAT(result.againstNotes->notCompared, IsEmpty());
}

TEST_F(SuiteComparison, RefusesFilesThatAreNoSuites) {
    const auto file = m_folder.path() / kSuiteFile;
    const auto refusal = [&](const char* text) {
        EXPECT_TRUE(writeFile(file, text));
        const auto other = readOtherSuite(file);
        EXPECT_FALSE(other) << text;
        return other ? std::string() : other.error().message;
    };
    EXPECT_THAT(refusal(R"({"version": 2, "jobs": []})"), HasSubstr("version is 2, 1 was needed"));
    EXPECT_THAT(refusal(R"({"jobs": []})"), HasSubstr("version is missing, 1 was needed"));
    EXPECT_THAT(refusal(R"({"version": 1, "jobs": [], "version": 1})"), HasSubstr("version"));
    EXPECT_THAT(refusal(R"({"version": 1, "jobs": [7]})"),
                HasSubstr("a job with axes and measures was needed"));
    EXPECT_THAT(
        refusal(R"({"version": 1, "jobs": [{"axes": {}, "measures": {}, "manifest": {"settings": 7}}]})"),
        HasSubstr(file.string() + ": job {}: manifest: settings 7"));
    EXPECT_THAT(
        refusal(
            R"({"version": 1, "jobs": [{"axes": {"seed": 1}, "measures": {}}, {"axes": {"seed": 1}, "measures": {}}]})"),
        HasSubstr("job {\"seed\":1} once more, each once was needed"));
    for (const char* impossible :
         {R"("denoise_seconds": -3)", R"("psnr": 1e308)", R"("psnr": -5)", R"("lpips": -0.1)",
          R"("psnr": "x")", R"("psnr": true)", R"("psnr": NaN)", R"("denoise_seconds": -Infinity)"})
        EXPECT_THAT(refusal((R"({"version": 1, "jobs": [{"axes": {}, "measures": {)" +
                             std::string(impossible) + "}}]}")
                                .c_str()),
                    HasSubstr("a number that clips have was needed"));
    ASSERT_TRUE(writeFile(
        file, R"({"version": 1, "jobs": [{"axes": {}, "measures": {"psnr": null, "ssim": -0.1}}]})"));
    const auto absent = readOtherSuite(file);
    ASSERT_TRUE(absent) << absent.error().message;
    EXPECT_EQ(absent->jobs.begin()->second.measured, (Measured{{"ssim", -0.1}}));
    EXPECT_EQ(readOtherSuite(m_folder.path() / "missing.json").error().code, ErrorCode::NotFound);
    ASSERT_TRUE(writeFile(file, R"({"version": 1, "jobs": []})"));
    const auto none = requireSameJobs(suiteOf().plan, readOtherSuite(file).value());
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(none.error().message, HasSubstr("none of its jobs is this suite's"));
}

TEST_F(SuiteComparison, NotesAreReadAsTheyWereWrittenAndChecked) {
    const SuiteResult there = suiteOf([](const SuiteJob& job, Manifest& manifest) {
        if (job.request.prompt == "b") manifest.settings->width = 64;
        manifest.settings->offload = protocol::kOffloadBlocks;
    });
    const json document = toJson(compared(suiteOf(), there), "/suite");
    const auto read = suiteFromJson(document, m_folder.path());
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_TRUE(read->againstNotes);
    EXPECT_EQ(toJson(*read->againstNotes), document["against_notes"]);
    EXPECT_THAT(read->againstNotes->notCompared, SizeIs(2));
    const auto refusal = [&](const char* pointer, const json& value) {
        json changed = document;
        changed[json::json_pointer(std::string("/against_notes") + pointer)] = value;
        const auto again = suiteFromJson(changed, m_folder.path());
        EXPECT_FALSE(again) << pointer;
        return again ? std::string() : again.error().message;
    };
    EXPECT_THAT(refusal("/not_compared/0/jobs/0", 4), HasSubstr("job 4: 0 to 3 was needed"));
    EXPECT_THAT(refusal("/not_compared/0/jobs", json::array()), HasSubstr("jobs []"));
    EXPECT_THAT(refusal("/not_compared/0/what", "some"), HasSubstr("all, cost or drift was needed"));
    EXPECT_THAT(refusal("/not_compared/0/fields/0", 7), HasSubstr("an object with a field was needed"));
    EXPECT_THAT(refusal("/rendered_on/here/0", 7), HasSubstr("7: a text was needed"));
}

/// The fields in which a render differs from the same after `change`.
std::vector<std::string> fieldsThatDiffer(const std::function<void(Manifest&)>& before,
                                          const std::function<void(Manifest&)>& after) {
    Manifest here = rendered({}), there = rendered({});
    before(here);
    after(there);
    std::vector<std::string> fields;
    for (const FieldDifference& each : differencesBetween(here, there, {}).picture)
        fields.push_back(textOf(each));
    return fields;
}

TEST(RenderDifferences, FilesAreComparedByWhatTheyHold) {
    const auto as = [](const char* folder, char digit) {
        return [=](Manifest& manifest) {
            manifest.modelId = folder;
            manifest.settings->vae = std::string(folder) + "/vae.safetensors";
            manifest.settings->imgFilePath = std::string(folder) + "/a.png";
            manifest.settings->lora = {std::string(folder) + "/detail.safetensors:0.8"};
            manifest.modelHashes["vae"] = std::string(64, digit);
            manifest.modelHashes["lora 1: detail.safetensors"] = std::string(64, digit);
            manifest.pictureHashes["img_file_path"] = std::string(64, digit);
        };
    };
    EXPECT_THAT(fieldsThatDiffer(as("/old", '3'), as("/new", '3')), IsEmpty()) << "moved";
    EXPECT_THAT(fieldsThatDiffer(as("/old", '3'), as("/old", '4')),
                ElementsAre("model.hashes.lora 1: detail.safetensors 33333333 here, 44444444 there",
                            "model.hashes.vae 33333333 here, 44444444 there",
                            "pictures.img_file_path 33333333 here, 44444444 there"));
    const auto stronger = [&](Manifest& manifest) {
        as("/old", '3')(manifest);
        manifest.settings->lora = {"/old/detail.safetensors"};
    };
    EXPECT_THAT(fieldsThatDiffer(as("/old", '3'), stronger),
                ElementsAre("lora [\"detail.safetensors:0.8\"] here, [\"detail.safetensors\"] there"));
    const auto without = [&](Manifest& manifest) {
        as("/old", '3')(manifest);
        manifest.settings->lora.clear();
        manifest.modelHashes.erase("lora 1: detail.safetensors");
    };
    EXPECT_THAT(fieldsThatDiffer(as("/old", '3'), without),
                ElementsAre("lora [\"detail.safetensors:0.8\"] here, none there"))
        << "not its hash once more";
}

TEST(RenderDifferences, WhatDecidesNothingIsNone) {
    const auto nothing = [](Manifest&) {};
    EXPECT_THAT(fieldsThatDiffer(nothing,
                                 [](Manifest& manifest) {
                                     manifest.settings->vaeTilePx = 128;  // with tiling off
                                     manifest.settings->backendOption = {"sta.window=3,3,3"};
                                     manifest.settings->slaTopk = 0.5;
                                     manifest.settings->fps = 8;
                                     manifest.settings->inputDir = "/elsewhere";
                                 }),
                IsEmpty());
    EXPECT_THAT(fieldsThatDiffer(
                    nothing, [](Manifest& manifest) { manifest.settings->keepFrames = protocol::kKeepOff; }),
                ElementsAre("keep_frames \"lossless\" here, \"off\" there"))
        << "figures are of decoded clips then";
    const auto sparse = [](Manifest& manifest) {
        manifest.settings->attentionType = "sla";
        manifest.settings->slaTopk = 0.5;
        manifest.settings->backendOption = {"sla.key=1"};
        manifest.settings->motionBucketId = 127;
    };
    EXPECT_THAT(fieldsThatDiffer(sparse,
                                 [&](Manifest& manifest) {
                                     sparse(manifest);
                                     manifest.settings->slaTopk = 0.2;
                                     manifest.settings->backendOption = {"sla.key=2"};
                                     manifest.settings->fps = 8;
                                 }),
                ElementsAre(HasSubstr("backend_option"), HasSubstr("fps"), HasSubstr("sla_topk")));
}

TEST(ManifestPart, IsWrittenOnceForWhatAllJobsHaveAlike) {
    const json document = toJson(suiteOf(), "/suite");
    EXPECT_EQ(document["manifest"]["settings"]["num_inference_steps"], 8);
    EXPECT_EQ(document["manifest"]["model"]["id"], "demo");
    EXPECT_EQ(document["manifest"]["device"]["processor"], "EPYC");
    EXPECT_FALSE(document["manifest"].contains("clip_sha256"));
    EXPECT_EQ(document["jobs"][1]["manifest"],
              json::parse(R"({"settings": {"prompt": "a", "attention_type": "fav2"}})"));
    SuiteResult failed = suiteOf();
    for (SuiteRow& row : failed.rows) row.manifest.reset();
    EXPECT_FALSE(toJson(failed, "/suite").contains("manifest"));
    EXPECT_FALSE(toJson(failed, "/suite")["jobs"][0].contains("manifest"));
}

TEST(ManifestPart, OfManyIsTheirsAgainWithWhatTheyHaveAlike) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        protocol::RandomValues random(seed);
        std::vector<json> all;
        json alike;
        for (int count = random.integer(1, 4); count > 0; --count) {
            Manifest manifest;
            random.fill(manifest.settings.emplace());
            manifest.modelHashes = random.names(64);
            manifest.modelId = random.text(9);
            all.push_back(comparedJson(manifest));
            alike = alike.is_null() ? all.back() : alikeIn(alike, all.back());
        }
        for (const json& each : all) {
            json whole = alike;
            whole.merge_patch(besides(each, alike));
            ASSERT_EQ(whole, each) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace reelgrid::suite
