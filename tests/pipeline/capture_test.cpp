#include <gmock/gmock.h>

#include "core/capture/captured_call.h"
#include "core/pipeline/renderer.h"
#include "core/pt/pt_file.h"
#include "core/result/clip_result.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

class CaptureTest : public TinyRenderTest {
  protected:
    fs::path m_captures = m_folder / "clip.files/captures";
    [[nodiscard]] protocol::RenderRequest savingRequest() const {
        protocol::RenderRequest request = tinyRequest();
        request.saveInputs = true;
        request.device = "cpu";
        return request;
    }
    [[nodiscard]] pt::Dict metadata() const {
        return *pt::readPt(m_captures / "sdpa_metadata.pt").value().as<pt::Dict>();
    }
};

TEST_F(CaptureTest, TheFirstOfTwoRepetitionsIsCaptured) {
    auto request = savingRequest();
    request.numRepetitions = 2;
    request.maxCaptures = 0;
    const auto clip = Renderer().render(request, {}, {});
    ASSERT_TRUE(clip) << clip.error().message;
    const result::Manifest manifest = result::readClipResult(*clip).manifest;
    ASSERT_TRUE(manifest.captures);
    std::uint64_t calls = 0;
    for (const auto& call : manifest.attention) calls += call.calls;
    EXPECT_EQ(manifest.captures->calls * 2, calls);
    EXPECT_EQ(manifest.captures->saved * 2, manifest.captures->calls);  // self-attention, not cross
    EXPECT_EQ(capture::captureFiles(m_captures)->size(), manifest.captures->saved);
    EXPECT_EQ(manifest.captures->folder, "captures");
}

TEST_F(CaptureTest, ACancelledRenderLeavesWhatItSaved) {
    std::stop_source source;
    auto request = savingRequest();
    request.maxCaptures = 0;
    const auto clip = Renderer().render(
        request,
        [&](const protocol::RenderProgress& progress) {
            if (progress.stage == "denoise" && progress.done == 1) source.request_stop();
        },
        source.get_token());
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::Cancelled);
    EXPECT_FALSE(*metadata().find("render_finished")->as<bool>());
    const auto files = capture::captureFiles(m_captures);
    ASSERT_TRUE(files) << files.error().message;
    for (const fs::path& file : *files) EXPECT_EQ(capture::readCapture(file)->step, 0);
    EXPECT_FALSE(fs::exists(m_folder / "clip.files/manifest.json"));
}

TEST_F(CaptureTest, ACancelledRenderThatSavedNothingLeavesNothing) {
    std::stop_source source;
    auto request = savingRequest();
    request.captureSteps = "-1";
    const auto clip = Renderer().render(
        request,
        [&](const protocol::RenderProgress& progress) {
            if (progress.stage == "denoise" && progress.done == 1) source.request_stop();
        },
        source.get_token());
    ASSERT_FALSE(clip);
    EXPECT_TRUE(fs::is_empty(m_folder));
}

}  // namespace
}  // namespace reelgrid::pipeline
