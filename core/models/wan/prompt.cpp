#include "core/models/wan/prompt.h"

#include <span>

#include "core/base/result.h"
#include "core/text/cleaning/prompt_cleaning.h"

namespace reelgrid::models::wan {

PromptEncoder::PromptEncoder(const Checkpoint& model, at::ScalarType dtype, at::Device device,
                             pipeline::Encoders residence)
    : m_tokenizer(model.tokenizer()), m_memory(residence, [model, dtype, device] {
          const Checkpoint::TextEncoder encoder = model.textEncoder();
          return text::Umt5Encoder(encoder.config, weights::WeightScope(*encoder.weights, dtype, device));
      }) {
    const std::int64_t vocabulary = model.textEncoder().config.vocabSize;
    if (m_tokenizer.idBound() > vocabulary)
        throw Failure(ErrorCode::InvalidData,
                      "the tokenizer " + model.path("tokenizer").string() + " has ids up to " +
                          std::to_string(m_tokenizer.idBound() - 1) +
                          ", but the text encoder's vocab_size is " + std::to_string(vocabulary));
}

PromptEmbedding PromptEncoder::encode(const std::string& prompt) {
    return m_memory.embedding(prompt,
                              [&](const text::Umt5Encoder& encoder) { return embeddingOf(encoder, prompt); });
}

PromptEmbedding PromptEncoder::embeddingOf(const text::Umt5Encoder& encoder,
                                           const std::string& prompt) const {
    const text::TokenIds tokens =
        m_tokenizer.encode(text::cleanPrompt(prompt), static_cast<std::size_t>(kMaxPromptTokens));
    const at::Tensor states_NC = encoder.forward(std::span(tokens.ids).first(tokens.count));
    const auto count = static_cast<std::int64_t>(tokens.count);
    at::Tensor padded =
        at::zeros({1, kMaxPromptTokens, states_NC.size(1)}, states_NC.options().dtype(at::kFloat));
    padded[0].narrow(0, 0, count).copy_(states_NC);
    return {padded, count};
}

}  // namespace reelgrid::models::wan
