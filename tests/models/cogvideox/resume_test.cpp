#include <gmock/gmock.h>

#include "core/pipeline/renderer.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/unfinished_render.h"
#include "tests/models/cogvideox/tiny_model.h"
#include "tests/models/whole_renders.h"

namespace reelgrid::models::cogvideox {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

/// A form, and the sampler that it is rendered with.
struct Case {
    std::string form, scheduler;
};
void PrintTo(const Case& testCase, std::ostream* out) {
    *out << testCase.form << " " << testCase.scheduler;
}

class CogVideoXResume : public testing::TestWithParam<Case> {
  protected:
    TinyModel m_model{GetParam().form};
    fs::path m_folder = fs::path(testing::TempDir()) /
                        ("cogvideox-resume-" + GetParam().form + "_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] protocol::RenderRequest request(const char* clip) const {
        protocol::RenderRequest asked = tinyRequest(GetParam().form, "expected");
        asked.model = m_model.folder().string();
        asked.scheduler = GetParam().scheduler;
        asked.numInferenceSteps = 6;
        asked.saveLatentsEvery = 2;
        asked.output = (m_folder / clip).string();
        return asked;
    }
    static result::Manifest rendered(const protocol::RenderRequest& asked) {
        return renderedClip(asked).manifest;
    }
};

TEST_P(CogVideoXResume, GoesOnWithTheSameBits) {
    const std::string whole = rendered(request("whole.mp4")).framesSha256;
    protocol::RenderRequest asked = request("clip.mp4");
    interruptAt(asked, "denoise", 3);
    EXPECT_EQ(result::readUnfinished(asked.output).value()->stepsKept, 2);
    asked.resume = true;
    interruptAt(asked, "denoise", 5);
    const result::Manifest resumed = rendered(asked);
    EXPECT_THAT(resumed.resumedAt, ElementsAre(2, 4));
    EXPECT_THAT(resumed.remarks, ElementsAre(testing::HasSubstr("prompts are padded to"))) << "not to 226";
    EXPECT_EQ(resumed.framesSha256, whole);
    EXPECT_FALSE(fs::exists(protocol::resultFolderOf(asked.output) / protocol::kResumeFile));
}

INSTANTIATE_TEST_SUITE_P(Forms, CogVideoXResume,
                         testing::Values(Case{"2b", "ddim"}, Case{"5b", "dpm"}, Case{"5b-i2v", "dpm"},
                                         Case{"1.5", "ddim"}, Case{"1.5-i2v", "dpm"}));

}  // namespace
}  // namespace reelgrid::models::cogvideox
