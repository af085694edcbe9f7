#include "core/models/wan/prompt.h"

#include <span>

#include "core/base/result.h"
#include "core/text/cleaning/prompt_cleaning.h"

namespace reelgrid::models::wan {
namespace {

text::Umt5Encoder loadEncoder(const Checkpoint& model, at::ScalarType dtype, at::Device device) {
    const Checkpoint::TextEncoder encoder = model.textEncoder();
    return text::Umt5Encoder(encoder.config, weights::WeightScope(*encoder.weights, dtype, device));
}

}  // namespace

PromptEncoder::PromptEncoder(const Checkpoint& model, at::ScalarType dtype, at::Device device)
    : m_tokenizer(model.path("tokenizer")), m_encoder(loadEncoder(model, dtype, device)) {
    if (m_tokenizer.idBound() > m_encoder.config().vocabSize)
        throw Failure(ErrorCode::InvalidData, model.path("tokenizer").string() + ": has ids up to " +
                                                  std::to_string(m_tokenizer.idBound() - 1) +
                                                  ", but the text encoder's vocab_size is " +
                                                  std::to_string(m_encoder.config().vocabSize));
}

PromptEmbedding PromptEncoder::encode(const std::string& prompt) const {
    const text::TokenIds tokens =
        m_tokenizer.encode(text::cleanPrompt(prompt), static_cast<std::size_t>(kMaxPromptTokens));
    const at::Tensor states_NC = m_encoder.forward(std::span(tokens.ids).first(tokens.count));
    const auto count = static_cast<std::int64_t>(tokens.count);
    at::Tensor padded =
        at::zeros({1, kMaxPromptTokens, states_NC.size(1)}, states_NC.options().dtype(at::kFloat));
    padded[0].narrow(0, 0, count).copy_(states_NC);
    return {padded, count};
}

}  // namespace reelgrid::models::wan
