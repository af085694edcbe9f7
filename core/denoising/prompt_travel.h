#pragma once

// Shape legend: N text tokens, X channels of text, F frames.

#include <ATen/ATen.h>

#include <vector>

#include "core/catalog/render_settings.h"
#include "core/protocol/prompt_travel.h"

namespace reelgrid::denoising {

/// A render's prompts at their frames (--prompt-travel), the first at frame 0: where none is asked for there,
/// --prompt's. Throws Failure(BadUsage) for a prompt at a frame that there isn't.
std::vector<protocol::PromptAt> promptsAtFrames(const catalog::RenderSettings& settings);

/// What each frame is told: texts_1NX[i] at its prompt's frame, linearly between, the last one's on to the
/// end; [F, N, X], of one prompt [1, N, X]. Source: diffusers 0.40, free_noise_utils.py
/// (_encode_prompt_free_noise).
at::Tensor textOfFrames(const std::vector<protocol::PromptAt>& prompts,
                        const std::vector<at::Tensor>& texts_1NX, std::int64_t frames);

}  // namespace reelgrid::denoising
