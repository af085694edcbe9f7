#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/pipeline/renderer.h"
#include "core/pipeline/resume_file.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/unfinished_render.h"
#include "core/safetensors/header.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ResumeTest : public TinyRenderTest {
  protected:
    [[nodiscard]] protocol::RenderRequest longRequest() const {
        protocol::RenderRequest request = tinyRequest();
        request.numInferenceSteps = 9;
        request.saveLatentsEvery = 2;
        return request;
    }

    /// Renders until so many steps are done.
    static Error interrupted(const protocol::RenderRequest& request, int steps,
                             const std::string& stage = "denoise") {
        std::stop_source source;
        const auto clip = Renderer().render(
            request,
            [&](const protocol::RenderProgress& progress) {
                if (progress.stage == stage && progress.done >= steps) source.request_stop();
            },
            source.get_token());
        EXPECT_FALSE(clip);
        return clip ? Error{} : clip.error();
    }
    static result::ClipResult rendered(const protocol::RenderRequest& request) {
        const auto clip = Renderer().render(request, {}, {});
        EXPECT_TRUE(clip) << clip.error().message;
        return result::readClipResult(request.output);
    }
    static result::ClipResult resumed(protocol::RenderRequest request) {
        request.resume = true;
        return rendered(request);
    }
    [[nodiscard]] std::string uninterrupted(protocol::RenderRequest request) const {
        request.output = (m_folder / "whole.mp4").string();
        return rendered(request).manifest.framesSha256;
    }
    [[nodiscard]] std::map<std::string, at::Tensor> keptTensors() const {
        weights::SafetensorsFolder folder(file(protocol::kResumeFile));
        std::map<std::string, at::Tensor> tensors;
        for (const std::string& name : folder.names())
            tensors[name] = folder.require(name, *folder.shapeOf(name)).clone();
        return tensors;
    }
    [[nodiscard]] fs::path file(const char* name) const { return m_folder / "clip.files" / name; }
};

TEST_F(ResumeTest, GoesOnWithTheSameBits) {
    const std::string whole = uninterrupted(longRequest());
    EXPECT_EQ(interrupted(longRequest(), 7).code, ErrorCode::Cancelled);
    EXPECT_EQ(result::readUnfinished(longRequest().output).value()->stepsKept, 6);
    const result::ClipResult read = resumed(longRequest());
    EXPECT_EQ(read.manifest.framesSha256, whole);
    EXPECT_THAT(read.manifest.resumedAt, ElementsAre(6));
    EXPECT_FALSE(fs::exists(file(protocol::kResumeFile)));
    EXPECT_FALSE(fs::exists(file(protocol::kUnfinishedFile)));
}

TEST_F(ResumeTest, OfASamplerThatDrawsInEachStepGoesOnWithTheSameNoise) {
    protocol::RenderRequest request = longRequest();
    request.scheduler = "rcm";
    request.numInferenceSteps = 4;
    request.saveLatentsEvery = 1;
    const std::string whole = uninterrupted(request);
    interrupted(request, 3);
    const result::ClipResult read = resumed(request);
    EXPECT_EQ(read.manifest.framesSha256, whole);
    EXPECT_THAT(read.manifest.resumedAt, ElementsAre(2));
}

TEST_F(ResumeTest, TellsOfTheWholeRenderWhoeverMadeWhichStep) {
    const result::ClipResult plain = rendered(longRequest());
    interrupted(longRequest(), 3);
    protocol::RenderRequest again = longRequest();
    again.resume = true;
    interrupted(again, 7);
    const result::ClipResult read = resumed(longRequest());
    EXPECT_THAT(read.manifest.resumedAt, ElementsAre(2, 6));
    EXPECT_EQ(read.timing()->steps.size(), 9U);
    ASSERT_EQ(read.timing()->stepParts.size(), 9U);
    EXPECT_TRUE(read.timing()->stepParts[5].empty()) << "not known any more";
    EXPECT_FALSE(read.timing()->stepParts[6].empty());
    double stages = 0;
    for (const auto& [name, seconds] : read.timing()->stages) stages += seconds;
    EXPECT_NEAR(stages, read.timing()->wallTime.value(), 1e-6);
    ASSERT_EQ(read.manifest.attention.size(), plain.manifest.attention.size());
    for (std::size_t i = 0; i < plain.manifest.attention.size(); ++i)
        EXPECT_EQ(read.manifest.attention[i].calls, plain.manifest.attention[i].calls);
    EXPECT_EQ(read.manifest.calls, plain.manifest.calls);
    EXPECT_EQ(read.manifest.request, plain.manifest.request) << "nobody asks for another picture by resuming";
}

TEST_F(ResumeTest, EverySamplerAndAStepCacheGoOnWithTheSameBits) {
    protocol::StepCache tea = protocol::stepCacheFrom("teacache:0.1").value();
    tea.curve = {0.04};
    for (const auto& [scheduler, cache] : {std::pair{"unipc", protocol::StepCache(1)},
                                           {"euler", protocol::StepCache(1)},
                                           {"unipc", tea},
                                           {"unipc", protocol::stepCacheFrom("taylorseer:3:2").value()}}) {
        protocol::RenderRequest request = longRequest();
        request.scheduler = scheduler;
        request.stepCache = cache;
        const std::string whole = uninterrupted(request);
        interrupted(request, 5);
        const result::ClipResult read = resumed(request);
        EXPECT_EQ(read.manifest.framesSha256, whole) << scheduler;
        EXPECT_THAT(read.manifest.resumedAt, ElementsAre(4));
        EXPECT_EQ(read.manifest.stepCache->passes, 18);
    }
}

TEST_F(ResumeTest, DecodesAgainWhatWasInterruptedThereAnotherWayIfAskedTo) {
    const std::string whole = uninterrupted(longRequest());
    interrupted(longRequest(), 1, "decode");
    EXPECT_EQ(result::readUnfinished(longRequest().output).value()->stepsKept, 9);
    protocol::RenderRequest request = longRequest();
    request.vaeDtype = "bf16";
    const result::ClipResult other = resumed(request);
    EXPECT_THAT(other.manifest.resumedAt, ElementsAre(9));
    EXPECT_NE(other.manifest.framesSha256, whole);
    interrupted(longRequest(), 1, "decode");
    EXPECT_EQ(resumed(longRequest()).manifest.framesSha256, whole);
}

TEST_F(ResumeTest, SaysInWhatTheRenderDiffers) {
    interrupted(longRequest(), 5);
    const auto refusal = [&](auto change) {
        protocol::RenderRequest request = longRequest();
        request.resume = true;
        change(request);
        const auto clip = Renderer().render(request, {}, {});
        return clip ? std::string() : clip.error().message;
    };
    EXPECT_THAT(
        refusal([](auto& request) { request.seed = 7; }),
        HasSubstr("resume.safetensors is another render's: its seed was 42, now it is 7; the same, or a "
                  "render without --resume, was needed"));
    EXPECT_THAT(refusal([](auto& request) { request.attentionType = "fav2"; }),
                HasSubstr("its attention_type was \"sdpa\", now it is \"fav2\""));
    const std::string bytes = readFile(file(protocol::kResumeFile)).value();
    const auto kept = keptTensors();
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string story(static_cast<const char*>(kept.at("story").const_data_ptr()),
                          kept.at("story").nbytes());
        story.replace(story.find(from), from.size(), to);
        auto changed = kept;
        changed["story"] =
            at::from_blob(story.data(), {static_cast<std::int64_t>(story.size())}, at::kByte).clone();
        weights::writeHashedSafetensors(file(protocol::kResumeFile), changed).value();
        return refusal([](auto&) {});
    };
    EXPECT_THAT(replaced("\"threads\":", "\"treads_\":"), HasSubstr("its number of threads was 0"));
    EXPECT_THAT(replaced("\"done\":4", "\"done\":0"), HasSubstr("done"));
    auto without = kept;
    without.erase("story");
    weights::writeHashedSafetensors(file(protocol::kResumeFile), without).value();
    EXPECT_THAT(refusal([](auto&) {}), HasSubstr("a tensor \"story\""));
    writeFile(file(protocol::kResumeFile), bytes.substr(0, bytes.size() / 2)).value();
    EXPECT_THAT(refusal([](auto&) {}), HasSubstr("resume.safetensors"));
}

TEST_F(ResumeTest, ASingleChangedBitIsRefusedNamingTheTensor) {
    interrupted(longRequest(), 5);
    const std::string bytes = readFile(file(protocol::kResumeFile)).value();
    const auto tensors = safetensors::readHeader(bytes, "resume");
    protocol::RenderRequest request = longRequest();
    request.resume = true;
    for (const auto& [name, entry] : tensors) {
        std::string changed = bytes;
        changed[entry.begin + entry.bytes / 2] ^= 1;
        writeFile(file(protocol::kResumeFile), changed).value();
        const auto clip = Renderer().render(request, {}, {});
        ASSERT_FALSE(clip) << name;
        EXPECT_THAT(clip.error().message,
                    AllOf(HasSubstr("resume.safetensors"), HasSubstr('"' + name + '"')));
    }
    writeFile(file(protocol::kResumeFile), bytes).value();
    EXPECT_THAT(resumed(longRequest()).manifest.resumedAt, ElementsAre(4));
}

TEST_F(ResumeTest, WithNothingKeptBeginsAnewAndLeavesNothingWhenCancelled) {
    interrupted(longRequest(), 1);
    EXPECT_TRUE(fs::is_empty(m_folder));
    const result::ClipResult read = resumed(longRequest());
    EXPECT_TRUE(read.manifest.resumedAt.empty());
}

TEST_F(ResumeTest, ARenderWithoutItBeginsAnewAndKeepsTheOldStepsUntilItsOwn) {
    interrupted(longRequest(), 7);
    interrupted(longRequest(), 1);
    EXPECT_EQ(result::readUnfinished(longRequest().output).value()->stepsKept, 6);
    interrupted(longRequest(), 3);
    EXPECT_EQ(result::readUnfinished(longRequest().output).value()->stepsKept, 2);
    EXPECT_TRUE(rendered(longRequest()).manifest.resumedAt.empty());
}

TEST_F(ResumeTest, WhatCannotBeToldYetIsKeptAtALaterStep) {
    const protocol::RenderRequest request = longRequest();
    fs::create_directories(protocol::resultFolderOf(request.output));
    catalog::RenderSettings settings;
    settings.saveLatentsEvery = 2;
    bool ready = false;
    ResumeFile points(
        request, settings, ResumeFile::Keeps::Points, [&] { return ready; },
        [] { return ResumeFile::Story{}; });
    EXPECT_FALSE(points.wants(2, 9));
    ready = true;
    EXPECT_TRUE(points.wants(3, 9));
    points.keep({3, 9, {{"latents", at::zeros({1})}}});
    EXPECT_EQ(result::readUnfinished(request.output).value()->stepsKept, 3);
    EXPECT_TRUE(points.wants(4, 9));
    points.keep({4, 9, {{"latents", at::zeros({1})}}});
    EXPECT_FALSE(points.wants(5, 9));
    EXPECT_TRUE(points.wants(9, 9));
}

TEST_F(ResumeTest, IsLeftOutWhereARenderIsMadeInOneGo) {
    protocol::RenderRequest request = longRequest();
    request.saveLatentsEvery = 0;
    interrupted(request, 5);
    EXPECT_TRUE(fs::is_empty(m_folder));
    request = longRequest();
    request.lockstep = {"fav2"};
    interrupted(request, 5);
    EXPECT_TRUE(fs::is_empty(m_folder));
    request.resume = true;
    EXPECT_TRUE(rendered(request).metrics.lockstep);
}

TEST_F(ResumeTest, TheTimeThatItTakesIsNoneOfDenoisings) {
    protocol::RenderRequest request = longRequest();
    request.saveLatentsEvery = 1;
    const result::ClipResult read = rendered(request);
    EXPECT_GT(read.timing()->stage("save").value(), 0);
    double steps = 0;
    for (const double seconds : read.timing()->steps) steps += seconds;
    EXPECT_NEAR(read.timing()->stage("denoise").value(), steps, 0.2 * steps);
}

}  // namespace
}  // namespace reelgrid::pipeline
