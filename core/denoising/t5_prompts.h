#pragma once

#include <cstdint>
#include <filesystem>

#include "core/denoising/prompt_memory.h"
#include "core/text/encoders/t5_config.h"

namespace reelgrid::denoising {

/// Of a prompt's tensors: what T5 makes of it, [1, tokens, d_model] fp32 on the encoder's device.
inline constexpr const char* kT5Text = "text";

/// Prompts as a diffusers pipeline with one T5 encodes them: padded to `tokens` with what the encoder and the
/// network see like any other token. Takes the folders of tokenizer and encoder. Throws Failure naming the
/// file and what is wrong with it.
PromptMemory t5Prompts(const std::filesystem::path& tokenizer, const std::filesystem::path& encoder,
                       std::int64_t tokens, const LoadOptions& options);
/// The same of an encoder that may be a file, whose configuration is known otherwise.
PromptMemory t5Prompts(const std::filesystem::path& tokenizer, const std::filesystem::path& encoder,
                       const text::T5Config& config, std::int64_t tokens, const LoadOptions& options);

}  // namespace reelgrid::denoising
