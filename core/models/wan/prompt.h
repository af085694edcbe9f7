#pragma once

#include <ATen/ATen.h>

#include <string>

#include "core/models/wan/checkpoint.h"
#include "core/text/encoders/umt5_encoder.h"
#include "core/text/tokenizers/sentencepiece_tokenizer.h"

namespace reelgrid::models::wan {

/// max_sequence_length of WanPipeline.
inline constexpr std::int64_t kMaxPromptTokens = 512;

struct PromptEmbedding {
    /// [1, 512, d_model] fp32 on the encoder's device; zero behind the prompt's tokens.
    at::Tensor embedding;
    /// Tokens of the prompt, its end included.
    std::int64_t tokens = 0;
};

/// Prompt to embedding as diffusers' WanPipeline makes it: cleaning, tokenizer/, text_encoder/, padded
/// positions set to zero.
class PromptEncoder {
  public:
    /// Reads the model's tokenizer and text_encoder. Throws Failure naming the file and what is wrong with
    /// it.
    PromptEncoder(const Checkpoint& model, at::ScalarType dtype, at::Device device = at::kCPU);

    [[nodiscard]] PromptEmbedding encode(const std::string& prompt) const;

  private:
    text::SentencePieceTokenizer m_tokenizer;
    text::Umt5Encoder m_encoder;
};

}  // namespace reelgrid::models::wan
