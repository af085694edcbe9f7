#pragma once

#include <gtest/gtest.h>

#include <stop_token>
#include <string>

#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"

namespace reelgrid::models {

/// What a render left, which must not fail.
inline result::ClipResult renderedClip(const protocol::RenderRequest& asked) {
    const auto clip = pipeline::Renderer().render(asked, {}, {});
    EXPECT_TRUE(clip) << (clip ? "" : clip.error().message);
    return result::readClipResult(asked.output);
}

/// Renders until so many steps of a stage are done.
inline void interruptAt(const protocol::RenderRequest& asked, const std::string& stage, int steps) {
    std::stop_source source;
    const auto clip = pipeline::Renderer().render(
        asked,
        [&](const protocol::RenderProgress& progress) {
            if (progress.stage == stage && progress.done >= steps) source.request_stop();
        },
        source.get_token());
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::Cancelled);
}

}  // namespace reelgrid::models
