#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <vector>

#include "core/denoising/prompt_memory.h"
#include "core/models/wan/checkpoint.h"
#include "core/text/encoders/umt5_encoder.h"
#include "core/text/tokenizers/sentencepiece_tokenizer.h"

namespace reelgrid::models::wan {

/// max_sequence_length of WanPipeline.
inline constexpr std::int64_t kMaxPromptTokens = 512;
/// Of a prompt's tensors: PromptEmbedding::embedding.
inline constexpr const char* kText = "text";

struct PromptEmbedding {
    /// [1, 512, d_model] fp32 on the encoder's device; zero behind the prompt's tokens.
    at::Tensor embedding;
    /// Tokens of the prompt, its end included.
    std::int64_t tokens = 0;
};

using Tokenizer = std::shared_ptr<const text::SentencePieceTokenizer>;
/// Throws Failure naming the file, also one with ids that the text encoder doesn't have.
Tokenizer loadTokenizer(const Checkpoint& model);

/// Prompt to embedding as diffusers' WanPipeline makes it: cleaning, tokenizer/, text_encoder/, padded
/// positions set to zero.
class PromptEncoder final : public denoising::PromptEncoder {
  public:
    /// Reads the model's text_encoder. Throws Failure naming the file and what is wrong with it.
    PromptEncoder(const Checkpoint& model, Tokenizer tokenizer, at::ScalarType dtype,
                  at::Device device = at::kCPU);

    [[nodiscard]] PromptEmbedding embed(const std::string& prompt) const;
    [[nodiscard]] denoising::NamedTensors encode(const std::string& prompt) const override {
        return {{kText, embed(prompt).embedding}};
    }

  private:
    Tokenizer m_tokenizer;
    text::Umt5Encoder m_encoder;
};

denoising::PromptMemory promptMemory(const Checkpoint& model, const Tokenizer& tokenizer,
                                     const denoising::LoadOptions& options);

/// A line for each prompt of a render that has no room: what of it is cut.
std::vector<std::string> cutPrompts(const text::SentencePieceTokenizer& tokenizer,
                                    const catalog::RenderSettings& settings);

}  // namespace reelgrid::models::wan
