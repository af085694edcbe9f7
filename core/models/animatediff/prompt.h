#pragma once

// Shape legend: N text tokens, X channels of text, F frames.

#include <ATen/ATen.h>

#include <memory>

#include "core/denoising/prompt_memory.h"
#include "core/families/model_index.h"
#include "core/text/encoders/clip_text_config.h"
#include "core/text/tokenizers/clip_tokenizer.h"

namespace reelgrid::models::animatediff {

using Tokenizer = std::shared_ptr<const text::ClipTokenizer>;

text::ClipTextConfig textEncoderConfig(const families::ModelIndex& index);

/// tokenizer/. Throws Failure naming the file and what is wrong with it.
Tokenizer loadTokenizer(const families::ModelIndex& index);

/// Prompts as diffusers' AnimateDiffPipeline encodes them: tokenizer and text_encoder/, what has no room in
/// 77 tokens cut. Throws Failure naming the file and what is wrong with it.
denoising::PromptMemory promptMemory(const families::ModelIndex& index, const Tokenizer& tokenizer,
                                     const denoising::LoadOptions& options);

/// What a clip's frames are told, fp32: [1, N, X] all the same, or [F, N, X].
struct ClipTexts {
    at::Tensor prompt, negative;  ///< without guidance no negative
};

/// The stage "text": the render's prompt and negative prompt; with --prompt-travel its prompts at their
/// frames, blended between them (denoising/prompt_travel.h). For the prompts, not the negative one, the
/// encoder's last
/// --clip-skip layers are left out. Throws Failure(BadUsage) when none is left, or for a prompt at a frame
/// that there isn't.
ClipTexts encodeTexts(denoising::PromptMemory& memory, const catalog::RenderSettings& settings,
                      denoising::StageClock& clock);

}  // namespace reelgrid::models::animatediff
