#pragma once

#include <cstdint>
#include <string>

#include "core/denoising/prompt_memory.h"
#include "core/families/model_index.h"
#include "core/text/encoders/clip_text_config.h"

namespace reelgrid::models::animatediff {

/// The name of a prompt's tensor: what CLIP makes of it without its last `clipSkip` layers, [1, 77, C] fp32
/// on the encoder's device.
std::string textOf(std::int64_t clipSkip);

text::ClipTextConfig textEncoderConfig(const families::ModelIndex& index);

/// Prompts as diffusers' AnimateDiffPipeline encodes them: tokenizer/ and text_encoder/, what has no room in
/// 77 tokens cut. Throws Failure naming the file and what is wrong with it.
denoising::PromptMemory promptMemory(const families::ModelIndex& index,
                                     const denoising::LoadOptions& options);

}  // namespace reelgrid::models::animatediff
