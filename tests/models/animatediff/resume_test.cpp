#include <gmock/gmock.h>

#include "core/catalog/denoising_steps.h"
#include "core/catalog/model_folder.h"
#include "core/pipeline/renderer.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/interrupted_renders.h"
#include "core/result/unfinished_render.h"
#include "tests/models/animatediff/tiny_model.h"
#include "tests/models/whole_renders.h"

namespace reelgrid::models::animatediff {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

/// A sampler, and how often FreeInit has it walk.
struct Walk {
    std::string scheduler;
    int freeInit, steps;
};
void PrintTo(const Walk& walk, std::ostream* out) {
    *out << walk.scheduler << " " << walk.freeInit;
}

class AnimateDiffResume : public testing::TestWithParam<Walk> {
  protected:
    TinyModel m_model{TinyModel::Motion::Inside};
    fs::path m_folder = fs::path(testing::TempDir()) / ("animatediff-resume_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] protocol::RenderRequest request(const char* clip) const {
        protocol::RenderRequest asked = tinyRequest("ddim");
        asked.model = m_model.folder().string();
        asked.scheduler = GetParam().scheduler;
        asked.freeInit = GetParam().freeInit;
        asked.numInferenceSteps = 3;
        asked.saveLatentsEvery = 1;
        asked.output = (m_folder / clip).string();
        return asked;
    }
};

TEST_P(AnimateDiffResume, GoesOnFromAnyOfTheStepsThatTheSamplerMakes) {
    const result::ClipResult whole = renderedClip(request("whole.mp4"));
    const int steps = GetParam().steps;
    EXPECT_EQ(whole.timing()->steps.size(), std::size_t(steps));
    ASSERT_FALSE(whole.manifest.calls.maps.empty());
    for (const protocol::CallMap& map : whole.manifest.calls.maps) {
        EXPECT_EQ(map.steps, steps);
        for (int layer = 0; layer < map.layers; ++layer)
            EXPECT_EQ(map.at(layer, steps - 1), map.at(layer, 0)) << layer;
    }

    protocol::RenderRequest asked = request("clip.mp4");
    interruptAt(asked, "denoise", steps - 1);
    const auto left = result::readUnfinished(asked.output).value();
    const int kept = left->stepsKept;
    EXPECT_GE(kept, steps - 2);
    EXPECT_EQ(left->steps, steps);
    asked.resume = true;
    interruptAt(asked, "decode", 0);
    EXPECT_EQ(result::readUnfinished(asked.output).value()->stepsKept, steps) << "the last step is kept, too";
    const auto found = result::interruptedIn(m_folder);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].obstacle, "");
    EXPECT_EQ(found[0].left.stepsKept, steps);
    const result::Manifest resumed = renderedClip(asked).manifest;
    EXPECT_THAT(resumed.resumedAt, ElementsAre(kept, steps));
    EXPECT_EQ(resumed.framesSha256, whole.manifest.framesSha256);
}

TEST_P(AnimateDiffResume, ItsStepsAreWhatPoliciesAndCapturesCount) {
    protocol::RenderRequest asked = request("clip.mp4");
    const int last = GetParam().steps - 1;
    asked.saveInputs = true;
    asked.captureSteps = std::to_string(last);
    asked.maxCaptures = 1;
    asked.attentionPolicy = {{{.backend = "sagev1", .steps = protocol::IndexRange{last, last}}}};
    const result::ClipResult clip = renderedClip(asked);
    ASSERT_TRUE(clip.manifest.captures);
    EXPECT_EQ(clip.manifest.captures->saved, 1U);
    asked.captureSteps = std::to_string(last + 1);
    const auto beyond = pipeline::Renderer().render(asked, {}, {});
    ASSERT_FALSE(beyond);
    EXPECT_THAT(beyond.error().message, testing::HasSubstr("0 to " + std::to_string(last)));
}

INSTANTIATE_TEST_SUITE_P(
    Samplers, AnimateDiffResume,
    testing::Values(Walk{"ddim", 0, 3}, Walk{"euler", 0, 3}, Walk{"euler-ancestral", 0, 3},
                    Walk{"pndm", 0, 4}, Walk{"dpm++", 0, 3}, Walk{"lcm", 0, 3}, Walk{"ddim", 2, 6},
                    Walk{"euler-ancestral", 2, 6}, Walk{"pndm", 3, 12}, Walk{"dpm++", 2, 6}),
    [](const auto& tested) {
        std::string name = tested.param.scheduler + std::to_string(tested.param.freeInit);
        std::erase_if(name, [](char letter) { return letter == '-' || letter == '+'; });
        return name;
    });

}  // namespace
}  // namespace reelgrid::models::animatediff
