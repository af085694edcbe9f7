#include "core/models/cogvideox/prompt.h"

#include "core/base/result.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::cogvideox {
namespace {

constexpr const char *kTokenizer = "tokenizer", *kTextEncoder = "text_encoder";

text::T5Encoder loadEncoder(const families::ModelIndex& index, at::ScalarType dtype, at::Device device) {
    weights::SafetensorsFolder source(index.pathOf(kTextEncoder));
    return {text::T5Config::read(weights::ModelConfig::read(index.pathOf(kTextEncoder))),
            weights::WeightScope(source, dtype, device)};
}

}  // namespace

PromptEncoder::PromptEncoder(const families::ModelIndex& index, std::int64_t tokens, at::ScalarType dtype,
                             at::Device device)
    : m_tokens(tokens), m_tokenizer(index.pathOf(kTokenizer)), m_encoder(loadEncoder(index, dtype, device)) {
    if (m_tokenizer.idBound() > m_encoder.config().vocabSize)
        throw Failure(ErrorCode::InvalidData, index.pathOf(kTokenizer).string() + ": has ids up to " +
                                                  std::to_string(m_tokenizer.idBound() - 1) +
                                                  ", but the text encoder's vocab_size is " +
                                                  std::to_string(m_encoder.config().vocabSize));
}

at::Tensor PromptEncoder::encode(const std::string& prompt) const {
    const text::TokenIds tokens = m_tokenizer.encode(prompt, static_cast<std::size_t>(m_tokens));
    return m_encoder.forward(tokens.ids).to(at::kFloat).unsqueeze(0);
}

}  // namespace reelgrid::models::cogvideox
