#pragma once

#include <ATen/ATen.h>

#include <string>

#include "core/models/wan/checkpoint.h"
#include "core/pipeline/prompt_memory.h"
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
    /// Reads the model's tokenizer, and its text_encoder unless that is freed after use. Throws Failure
    /// naming the file and what is wrong with it.
    PromptEncoder(const Checkpoint& model, at::ScalarType dtype, at::Device device = at::kCPU,
                  pipeline::Encoders residence = pipeline::Encoders::Kept);

    /// Whether encode() would find what it needs in memory: the encoder, or this prompt's embedding.
    [[nodiscard]] bool isReadyFor(const std::string& prompt) const { return m_memory.isReadyFor(prompt); }
    /// Loads the text_encoder where it isn't in memory.
    void load() { m_memory.load(); }
    /// Frees it, unless it is kept. The last few prompts' embeddings stay.
    void release() { m_memory.release(); }

    [[nodiscard]] PromptEmbedding encode(const std::string& prompt);

  private:
    [[nodiscard]] PromptEmbedding embeddingOf(const text::Umt5Encoder& encoder,
                                              const std::string& prompt) const;

    text::SentencePieceTokenizer m_tokenizer;
    pipeline::PromptMemory<text::Umt5Encoder, PromptEmbedding> m_memory;
};

}  // namespace reelgrid::models::wan
