#include "core/denoising/t5_prompts.h"

#include <utility>

#include "core/base/result.h"
#include "core/text/encoders/t5_encoder.h"
#include "core/weights/weight_file.h"

namespace reelgrid::denoising {
namespace {

namespace fs = std::filesystem;

class T5PromptEncoder final : public PromptEncoder {
  public:
    T5PromptEncoder(T5Tokenizer tokenizer, std::int64_t tokens, text::T5Encoder encoder)
        : m_tokenizer(std::move(tokenizer)), m_tokens(tokens), m_encoder(std::move(encoder)) {}

    NamedTensors encode(const std::string& prompt) const override {
        const text::TokenIds tokens = m_tokenizer->encode(prompt, static_cast<std::size_t>(m_tokens));
        return {{kT5Text, m_encoder.forward(tokens.ids).to(at::kFloat).unsqueeze(0)}};
    }

  private:
    T5Tokenizer m_tokenizer;
    std::int64_t m_tokens;
    text::T5Encoder m_encoder;
};

}  // namespace

T5Tokenizer loadT5Tokenizer(const fs::path& folder, const text::T5Config& encoder) {
    const std::int64_t vocabulary = encoder.vocabSize;
    auto tokenizer = std::make_shared<const text::SentencePieceTokenizer>(folder);
    if (tokenizer->idBound() > vocabulary)
        throw Failure(ErrorCode::InvalidData,
                      folder.string() + ": has ids up to " + std::to_string(tokenizer->idBound() - 1) +
                          ", but the text encoder's vocab_size is " + std::to_string(vocabulary));
    return tokenizer;
}

PromptMemory t5Prompts(T5Tokenizer tokenizer, const fs::path& encoder, const text::T5Config& config,
                       std::int64_t tokens, const LoadOptions& options) {
    const auto load = [=, words = std::move(tokenizer), dtype = text::t5Dtype(options.dtype),
                       device = options.execution.device] {
        const auto source = weights::openWeights(encoder).weights;
        return std::make_unique<T5PromptEncoder>(
            words, tokens, text::T5Encoder(config, weights::WeightScope(*source, dtype, device)));
    };
    return {options.encoders, load};
}

}  // namespace reelgrid::denoising
