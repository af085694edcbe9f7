#include "core/pipeline/step_profiler.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/pipeline/renderer.h"
#include "core/profile/summary.h"
#include "core/profile/trace_reader.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

using profile::PlaceKind;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

class ProfiledRender : public TinyRenderTest {
  protected:
    [[nodiscard]] protocol::RenderRequest profiled(int wait, int warmup, int active) const {
        auto request = tinyRequest();
        request.profileOutput = "a";
        request.profileWait = wait;
        request.profileWarmup = warmup;
        request.profileActive = active;
        return request;
    }
    [[nodiscard]] fs::path trace() const { return m_folder / "clip.files/traces/a/trace_rank0.json.gz"; }
    [[nodiscard]] profile::Summary recorded() const {
        return profile::summaryOf(profile::readTrace(trace()).value());
    }
    static std::vector<std::string> names(const std::vector<const profile::Place*>& places) {
        std::vector<std::string> names;
        for (const profile::Place* place : places) names.push_back(place->name);
        return names;
    }
    static std::vector<std::string> names(const profile::Summary& summary) {
        std::vector<std::string> names;
        for (const profile::Row& row : summary.rows) names.push_back(row.name);
        return names;
    }
};

TEST_F(ProfiledRender, RecordsTheScheduledStepsByStageStepAndLayer) {
    auto request = profiled(1, 0, 1);
    request.attentionType = "fav2";
    const auto clip = Renderer().render(request, {}, {});
    ASSERT_TRUE(clip) << clip.error().message;
    const profile::Summary summary = recorded();
    EXPECT_THAT(names(summary.placesOf(PlaceKind::Stage)), ElementsAre("denoise"));
    EXPECT_THAT(names(summary.placesOf(PlaceKind::Step)), ElementsAre("step 1"));
    const auto layers = summary.placesOf(PlaceKind::Layer);
    ASSERT_THAT(names(layers), ElementsAre("layer 0", "layer 1"));
    EXPECT_EQ(layers[0]->calls, 2U) << "both guidance passes";
    for (const char* name : {"self-attention fav2", "cross-attention sdpa", "norms", "feed-forward"})
        EXPECT_THAT(names(summary), Contains(name));
    for (const profile::Row& row : summary.rows)
        if (row.name == "self-attention fav2") {
            EXPECT_EQ(row.calls, 4U) << "two layers, two passes";
            ASSERT_FALSE(row.shapes.empty());
            EXPECT_TRUE(row.shapes[0].first.starts_with("[1,"));
        }
    // What the ranges name is all there is: nothing ran outside the stage.
    EXPECT_NEAR(static_cast<double>(summary.host), static_cast<double>(summary.span),
                0.02 * static_cast<double>(summary.span));

    const result::ClipResult read = result::readClipResult(request.output);
    ASSERT_TRUE(read.problems.empty()) << read.problems[0].message;
    ASSERT_TRUE(read.manifest.profile);
    EXPECT_EQ(read.manifest.profile->trace, "traces/a/trace_rank0.json.gz");
    EXPECT_EQ(read.manifest.profile->firstStep, 1);
    EXPECT_EQ(read.manifest.profile->steps, 1);
    EXPECT_FALSE(read.manifest.profile->decode);
    EXPECT_EQ(read.timing()->steps.size(), 3U);
    EXPECT_TRUE(read.timing()->stage("profile")) << "the profiler's own time is told apart";
}

TEST_F(ProfiledRender, TheDecodeCountsAsOneStepAfterTheLast) {
    ASSERT_TRUE(Renderer().render(profiled(0, 2, 2), {}, {}));
    const profile::Summary summary = recorded();
    EXPECT_THAT(names(summary.placesOf(PlaceKind::Stage)), ElementsAre("denoise", "decode"));
    EXPECT_THAT(names(summary.placesOf(PlaceKind::Step)), ElementsAre("step 2"));
    EXPECT_TRUE(result::readClipResult(tinyRequest().output).manifest.profile->decode);
    const profile::Place& decode = *summary.placesOf(PlaceKind::Stage).at(1);
    EXPECT_GT(decode.groups[std::size_t(profile::Group::Convolutions)].host, 0);
}

TEST_F(ProfiledRender, GoesIntoAFolderOfTheUsersByTheClipsName) {
    auto request = profiled(0, 0, 1);
    request.profileOutput = (m_folder / "mine/").string();
    ASSERT_TRUE(Renderer().render(request, {}, {}));
    EXPECT_TRUE(fs::exists(m_folder / "mine/clip/trace_rank0.json.gz"));
    EXPECT_FALSE(fs::exists(m_folder / "clip.files/traces"));
    EXPECT_EQ(result::readClipResult(request.output).manifest.profile->trace,
              (m_folder / "mine/clip/trace_rank0.json.gz").string());
}

TEST_F(ProfiledRender, TheFirstRepetitionAloneIsRecorded) {
    auto request = profiled(0, 0, 1);
    request.numRepetitions = 2;
    ASSERT_TRUE(Renderer().render(request, {}, {}));
    EXPECT_EQ(recorded().placesOf(PlaceKind::Step).at(0)->calls, 1U);
}

TEST_F(ProfiledRender, ThePictureIsTheSame) {
    ASSERT_TRUE(Renderer().render(profiled(0, 1, 3), {}, {}));
    const auto framesOf = [&] { return result::readClipResult(tinyRequest().output).manifest.framesSha256; };
    const std::string profiledFrames = framesOf();
    ASSERT_TRUE(Renderer().render(tinyRequest(), {}, {}));
    EXPECT_EQ(framesOf(), profiledFrames);
    EXPECT_FALSE(result::readClipResult(tinyRequest().output).manifest.profile);
}

TEST_F(ProfiledRender, ACancelledOneLeavesNothingAndTheNextRecords) {
    Renderer renderer;
    // While it records, and while it is ready.
    for (const auto& request : {profiled(0, 0, 3), profiled(0, 2, 1)}) {
        std::stop_source source;
        const auto clip = renderer.render(
            request,
            [&](const protocol::RenderProgress& progress) {
                if (progress.stage == "denoise" && progress.done == 1) source.request_stop();
            },
            source.get_token());
        ASSERT_FALSE(clip);
        EXPECT_EQ(clip.error().code, ErrorCode::Cancelled);
        EXPECT_TRUE(fs::is_empty(m_folder));
    }
    const auto next = renderer.render(profiled(1, 1, 1), {}, {});
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_THAT(names(recorded().placesOf(PlaceKind::Step)), ElementsAre("step 2"));
}

}  // namespace
}  // namespace reelgrid::pipeline
