#pragma once

#include "core/denoising/prompt_memory.h"
#include "core/families/model_index.h"
#include "core/text/encoders/t5_encoder.h"

namespace reelgrid::models::cogvideox {

/// Of a prompt's tensors: what T5 makes of it, [1, tokens, d_model] fp32 on the encoder's device.
inline constexpr const char* kText = "text";

text::T5Config textEncoderConfig(const families::ModelIndex& index);

/// Prompts as diffusers' CogVideoXPipeline encodes them: tokenizer/ and text_encoder/, padded to `tokens`
/// with what the encoder and the transformer see like any other token. Throws Failure naming the file and
/// what is wrong with it.
denoising::PromptMemory promptMemory(const families::ModelIndex& index, std::int64_t tokens,
                                     const denoising::LoadOptions& options);

}  // namespace reelgrid::models::cogvideox
