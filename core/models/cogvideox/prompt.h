#pragma once

#include <ATen/ATen.h>

#include <string>

#include "core/families/model_index.h"
#include "core/text/encoders/t5_encoder.h"
#include "core/text/tokenizers/sentencepiece_tokenizer.h"

namespace reelgrid::models::cogvideox {

/// Prompt to embedding as diffusers' CogVideoXPipeline makes it: tokenizer/ and text_encoder/, with padding
/// that the encoder and the transformer see like any other token.
class PromptEncoder {
  public:
    /// Reads the model's tokenizer and text_encoder. Throws Failure naming the file and what is wrong with
    /// it.
    PromptEncoder(const families::ModelIndex& index, std::int64_t tokens, at::ScalarType dtype,
                  at::Device device);

    /// [1, tokens, d_model] fp32 on the encoder's device.
    [[nodiscard]] at::Tensor encode(const std::string& prompt) const;
    [[nodiscard]] const text::T5Config& config() const { return m_encoder.config(); }

  private:
    std::int64_t m_tokens;
    text::SentencePieceTokenizer m_tokenizer;
    text::T5Encoder m_encoder;
};

}  // namespace reelgrid::models::cogvideox
