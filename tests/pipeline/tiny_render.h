#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/protocol/render_request.h"

namespace reelgrid::pipeline {

/// Renders of the tiny Wan model (2 layers), into a folder of their own.
class TinyRenderTest : public testing::Test {
  protected:
    std::filesystem::path m_folder =
        std::filesystem::path(testing::TempDir()) / ("tiny_render_" + std::to_string(getpid()));
    void SetUp() override { std::filesystem::create_directories(m_folder); }
    void TearDown() override { std::filesystem::remove_all(m_folder); }

    [[nodiscard]] protocol::RenderRequest tinyRequest() const {
        protocol::RenderRequest request;
        request.model = REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline";
        request.prompt = "a red car";
        request.width = 48;
        request.height = 32;
        request.numFrames = 5;
        request.numInferenceSteps = 3;
        request.output = (m_folder / "clip.mp4").string();
        return request;
    }
};

}  // namespace reelgrid::pipeline
