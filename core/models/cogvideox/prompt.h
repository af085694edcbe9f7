#pragma once

#include <ATen/ATen.h>

#include <string>

#include "core/families/model_index.h"
#include "core/pipeline/prompt_memory.h"
#include "core/text/encoders/t5_encoder.h"
#include "core/text/tokenizers/sentencepiece_tokenizer.h"

namespace reelgrid::models::cogvideox {

/// Prompt to embedding as diffusers' CogVideoXPipeline makes it: tokenizer/ and text_encoder/, with padding
/// that the encoder and the transformer see like any other token.
class PromptEncoder {
  public:
    /// Reads the model's tokenizer, and its text_encoder unless that is freed after use. Throws Failure
    /// naming the file and what is wrong with it.
    PromptEncoder(const families::ModelIndex& index, std::int64_t tokens, at::ScalarType dtype,
                  at::Device device, pipeline::Encoders residence = pipeline::Encoders::Kept);

    /// Whether encode() would find what it needs in memory: the encoder, or this prompt's embedding.
    [[nodiscard]] bool isReadyFor(const std::string& prompt) const { return m_memory.isReadyFor(prompt); }
    /// Loads the text_encoder where it isn't in memory.
    void load() { m_memory.load(); }
    /// Frees it, unless it is kept. The last few prompts' embeddings stay.
    void release() { m_memory.release(); }

    /// [1, tokens, d_model] fp32 on the encoder's device.
    [[nodiscard]] at::Tensor encode(const std::string& prompt);
    [[nodiscard]] const text::T5Config& config() const { return m_config; }

  private:
    std::int64_t m_tokens;
    text::T5Config m_config;
    text::SentencePieceTokenizer m_tokenizer;
    pipeline::PromptMemory<text::T5Encoder, at::Tensor> m_memory;
};

}  // namespace reelgrid::models::cogvideox
