#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/denoising/prompt_memory.h"
#include "core/text/encoders/t5_config.h"
#include "core/text/tokenizers/sentencepiece_tokenizer.h"

namespace reelgrid::denoising {

/// Of a prompt's tensors: what T5 makes of it, [1, tokens, d_model] fp32 on the encoder's device.
inline constexpr const char* kT5Text = "text";

using T5Tokenizer = std::shared_ptr<const text::SentencePieceTokenizer>;
/// A folder's. Throws Failure naming the file, also one with ids that the encoder doesn't have.
T5Tokenizer loadT5Tokenizer(const std::filesystem::path& folder, const text::T5Config& encoder);

/// Prompts as a diffusers pipeline with one T5 encodes them: padded to `tokens` with what the encoder and the
/// network see like any other token. Takes the encoder's folder or file. Throws Failure naming the file and
/// what is wrong with it.
PromptMemory t5Prompts(T5Tokenizer tokenizer, const std::filesystem::path& encoder,
                       const text::T5Config& config, std::int64_t tokens, const LoadOptions& options);

}  // namespace reelgrid::denoising
