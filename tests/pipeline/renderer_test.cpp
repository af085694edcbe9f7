#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/pipeline/renderer.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

class RendererTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("renderer_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] protocol::RenderRequest tinyRequest() const {
        protocol::RenderRequest request;
        request.model = std::string(REELGRID_SOURCE_DIR) + "/tests/fixtures/wan/tiny-pipeline";
        request.prompt = "a red car";
        request.width = 48;
        request.height = 32;
        request.numFrames = 5;
        request.numInferenceSteps = 3;
        request.output = (m_folder / "clip.mp4").string();
        return request;
    }
};

TEST_F(RendererTest, LeavesTheClipAndItsCompanions) {
    const auto clip = Renderer().render(tinyRequest(), {}, {});
    ASSERT_TRUE(clip) << clip.error().message;
    for (const char* name : {"clip.mp4", "clip.files/manifest.json", "clip.files/timing.json",
                             "clip.files/metrics.json", "clip.files/latents.safetensors"})
        EXPECT_TRUE(fs::exists(m_folder / name)) << name;
}

TEST_F(RendererTest, StopsWithinOneStepAndLeavesNothing) {
    std::stop_source source;
    int stepsSeen = 0;
    const auto clip = Renderer().render(
        tinyRequest(),
        [&](const protocol::RenderProgress& progress) {
            if (progress.stage != "denoise") return;
            stepsSeen = progress.done;
            if (progress.done == 1) source.request_stop();
        },
        source.get_token());
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(stepsSeen, 1);
    EXPECT_TRUE(fs::is_empty(m_folder));
}

TEST_F(RendererTest, AFailureLeavesNothing) {
    auto request = tinyRequest();
    request.attentionType = "fav9";
    const auto clip = Renderer().render(request, {}, {});
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::BadUsage);
    EXPECT_TRUE(fs::is_empty(m_folder));
}

}  // namespace
}  // namespace reelgrid::pipeline
