#include "core/models/animatediff/prompt.h"

#include <memory>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/models/animatediff/checkpoint.h"
#include "core/text/encoders/clip_text_encoder.h"
#include "core/text/tokenizers/clip_tokenizer.h"

namespace reelgrid::models::animatediff {
namespace {

using Tokenizer = std::shared_ptr<const text::ClipTokenizer>;

class ClipPromptEncoder final : public denoising::PromptEncoder {
  public:
    ClipPromptEncoder(Tokenizer tokenizer, text::ClipTextEncoder encoder)
        : m_tokenizer(std::move(tokenizer)), m_encoder(std::move(encoder)) {}

    denoising::NamedTensors encode(const std::string& prompt) const override {
        const auto length = static_cast<std::size_t>(m_encoder.config().maxPositionEmbeddings);
        const auto output = m_encoder.forward(m_tokenizer->encode(prompt, length).ids);
        denoising::NamedTensors tensors;
        // Every depth that a render may ask for: a prompt that is known needs no encoder.
        for (std::int64_t skip = 0; skip < m_encoder.config().numHiddenLayers; ++skip)
            tensors[textOf(skip)] = m_encoder.skipping(output, skip).to(at::kFloat).unsqueeze(0);
        return tensors;
    }

  private:
    Tokenizer m_tokenizer;
    text::ClipTextEncoder m_encoder;
};

Tokenizer loadTokenizer(const families::ModelIndex& index) {
    auto tokenizer = std::make_shared<const text::ClipTokenizer>(index.pathOf("tokenizer"));
    const std::int64_t vocabulary = textEncoderConfig(index).vocabSize;
    if (tokenizer->idBound() > vocabulary)
        throw Failure(ErrorCode::InvalidData, index.pathOf("tokenizer").string() + ": has ids up to " +
                                                  std::to_string(tokenizer->idBound() - 1) +
                                                  ", but the text encoder's vocab_size is " +
                                                  std::to_string(vocabulary));
    return tokenizer;
}

}  // namespace

std::string textOf(std::int64_t clipSkip) {
    return "text." + std::to_string(clipSkip);
}

text::ClipTextConfig textEncoderConfig(const families::ModelIndex& index) {
    return text::ClipTextConfig::from(weights::ModelConfig(
        index.config("text_encoder").value(), (index.pathOf("text_encoder") / "config.json").string()));
}

denoising::PromptMemory promptMemory(const families::ModelIndex& index,
                                     const denoising::LoadOptions& options) {
    const auto load = [=, tokenizer = loadTokenizer(index)] {
        const auto source = openTextEncoder(index.pathOf("text_encoder"));
        return std::make_unique<ClipPromptEncoder>(
            tokenizer,
            text::ClipTextEncoder(textEncoderConfig(index),
                                  weights::WeightScope(*source, options.dtype, options.execution.device)));
    };
    return {options.encoders, load};
}

}  // namespace reelgrid::models::animatediff
