#include "core/models/cogvideox/prompt.h"

#include <utility>

#include "core/base/result.h"
#include "core/text/tokenizers/sentencepiece_tokenizer.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::cogvideox {
namespace {

constexpr const char *kTokenizer = "tokenizer", *kTextEncoder = "text_encoder";
using Tokenizer = std::shared_ptr<const text::SentencePieceTokenizer>;

class T5PromptEncoder final : public denoising::PromptEncoder {
  public:
    T5PromptEncoder(Tokenizer tokenizer, std::int64_t tokens, text::T5Encoder encoder)
        : m_tokenizer(std::move(tokenizer)), m_tokens(tokens), m_encoder(std::move(encoder)) {}

    denoising::NamedTensors encode(const std::string& prompt) const override {
        const text::TokenIds tokens = m_tokenizer->encode(prompt, static_cast<std::size_t>(m_tokens));
        return {{kText, m_encoder.forward(tokens.ids).to(at::kFloat).unsqueeze(0)}};
    }

  private:
    Tokenizer m_tokenizer;
    std::int64_t m_tokens;
    text::T5Encoder m_encoder;
};

Tokenizer loadTokenizer(const families::ModelIndex& index) {
    auto tokenizer = std::make_shared<const text::SentencePieceTokenizer>(index.pathOf(kTokenizer));
    const std::int64_t vocabulary = textEncoderConfig(index).vocabSize;
    if (tokenizer->idBound() > vocabulary)
        throw Failure(ErrorCode::InvalidData, index.pathOf(kTokenizer).string() + ": has ids up to " +
                                                  std::to_string(tokenizer->idBound() - 1) +
                                                  ", but the text encoder's vocab_size is " +
                                                  std::to_string(vocabulary));
    return tokenizer;
}

}  // namespace

text::T5Config textEncoderConfig(const families::ModelIndex& index) {
    return text::T5Config::read(weights::ModelConfig::read(index.pathOf(kTextEncoder)));
}

denoising::PromptMemory promptMemory(const families::ModelIndex& index, std::int64_t tokens,
                                     const denoising::LoadOptions& options) {
    const auto load = [=, tokenizer = loadTokenizer(index), dtype = text::t5Dtype(options.dtype),
                       device = options.execution.device] {
        weights::SafetensorsFolder source(index.pathOf(kTextEncoder));
        return std::make_unique<T5PromptEncoder>(
            tokenizer, tokens,
            text::T5Encoder(textEncoderConfig(index), weights::WeightScope(source, dtype, device)));
    };
    return {options.encoders, load};
}

}  // namespace reelgrid::models::cogvideox
