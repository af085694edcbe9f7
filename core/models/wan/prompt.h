#pragma once

#include <ATen/ATen.h>

#include <deque>
#include <optional>
#include <string>

#include "core/models/wan/checkpoint.h"
#include "core/pipeline/video_model.h"
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
    [[nodiscard]] bool isReadyFor(const std::string& prompt) const;
    /// Loads the text_encoder where it isn't in memory.
    void load();
    /// Frees it, unless it is kept. The last few prompts' embeddings stay.
    void release();

    [[nodiscard]] PromptEmbedding encode(const std::string& prompt);

  private:
    struct Known {
        std::string prompt;
        PromptEmbedding embedding;
    };
    [[nodiscard]] PromptEmbedding embeddingOf(const std::string& prompt) const;

    Checkpoint m_model;
    at::ScalarType m_dtype;
    at::Device m_device;
    pipeline::Encoders m_residence;
    text::SentencePieceTokenizer m_tokenizer;
    std::optional<text::Umt5Encoder> m_encoder;
    std::deque<Known> m_known;  ///< only where the encoder is freed
};

}  // namespace reelgrid::models::wan
