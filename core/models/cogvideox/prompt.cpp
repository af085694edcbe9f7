#include "core/models/cogvideox/prompt.h"

#include "core/base/result.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::cogvideox {
namespace {

constexpr const char *kTokenizer = "tokenizer", *kTextEncoder = "text_encoder";

text::T5Config configOf(const families::ModelIndex& index) {
    return text::T5Config::read(weights::ModelConfig::read(index.pathOf(kTextEncoder)));
}

text::T5Encoder loadEncoder(const families::ModelIndex& index, at::ScalarType dtype, at::Device device) {
    weights::SafetensorsFolder source(index.pathOf(kTextEncoder));
    return {configOf(index), weights::WeightScope(source, dtype, device)};
}

}  // namespace

PromptEncoder::PromptEncoder(const families::ModelIndex& index, std::int64_t tokens, at::ScalarType dtype,
                             at::Device device, pipeline::Encoders residence)
    : m_tokens(tokens),
      m_config(configOf(index)),
      m_tokenizer(index.pathOf(kTokenizer)),
      m_memory(residence, [index, dtype, device] { return loadEncoder(index, dtype, device); }) {
    if (m_tokenizer.idBound() > m_config.vocabSize)
        throw Failure(ErrorCode::InvalidData, index.pathOf(kTokenizer).string() + ": has ids up to " +
                                                  std::to_string(m_tokenizer.idBound() - 1) +
                                                  ", but the text encoder's vocab_size is " +
                                                  std::to_string(m_config.vocabSize));
}

at::Tensor PromptEncoder::encode(const std::string& prompt) {
    return m_memory.embedding(prompt, [&](const text::T5Encoder& encoder) {
        const text::TokenIds tokens = m_tokenizer.encode(prompt, static_cast<std::size_t>(m_tokens));
        return encoder.forward(tokens.ids).to(at::kFloat).unsqueeze(0);
    });
}

}  // namespace reelgrid::models::cogvideox
