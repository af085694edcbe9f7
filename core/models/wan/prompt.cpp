#include "core/models/wan/prompt.h"

#include <algorithm>
#include <span>

#include "core/base/result.h"
#include "core/text/cleaning/prompt_cleaning.h"

namespace reelgrid::models::wan {

using pipeline::Encoders;

namespace {
/// Prompts and negative prompts of as many renders as follow one another in a comparison.
constexpr std::size_t kMostKnown = 16;
}  // namespace

PromptEncoder::PromptEncoder(const Checkpoint& model, at::ScalarType dtype, at::Device device,
                             Encoders residence)
    : m_model(model),
      m_dtype(dtype),
      m_device(device),
      m_residence(residence),
      m_tokenizer(model.tokenizer()) {
    const std::int64_t vocabulary = model.textEncoder().config.vocabSize;
    if (m_tokenizer.idBound() > vocabulary)
        throw Failure(ErrorCode::InvalidData,
                      "the tokenizer " + model.path("tokenizer").string() + " has ids up to " +
                          std::to_string(m_tokenizer.idBound() - 1) +
                          ", but the text encoder's vocab_size is " + std::to_string(vocabulary));
    if (m_residence == Encoders::Kept) load();
}

void PromptEncoder::load() {
    if (m_encoder) return;
    const Checkpoint::TextEncoder encoder = m_model.textEncoder();
    m_encoder.emplace(encoder.config, weights::WeightScope(*encoder.weights, m_dtype, m_device));
}

void PromptEncoder::release() {
    if (m_residence == Encoders::FreedAfterUse) m_encoder.reset();
}

bool PromptEncoder::isReadyFor(const std::string& prompt) const {
    return m_encoder || std::ranges::find(m_known, prompt, &Known::prompt) != m_known.end();
}

PromptEmbedding PromptEncoder::encode(const std::string& prompt) {
    if (m_residence == Encoders::Kept) return embeddingOf(prompt);
    const auto known = std::ranges::find(m_known, prompt, &Known::prompt);
    if (known != m_known.end()) return known->embedding;
    load();
    m_known.push_back({prompt, embeddingOf(prompt)});
    if (m_known.size() > kMostKnown) m_known.pop_front();
    return m_known.back().embedding;
}

PromptEmbedding PromptEncoder::embeddingOf(const std::string& prompt) const {
    const text::TokenIds tokens =
        m_tokenizer.encode(text::cleanPrompt(prompt), static_cast<std::size_t>(kMaxPromptTokens));
    const at::Tensor states_NC = m_encoder->forward(std::span(tokens.ids).first(tokens.count));
    const auto count = static_cast<std::int64_t>(tokens.count);
    at::Tensor padded =
        at::zeros({1, kMaxPromptTokens, states_NC.size(1)}, states_NC.options().dtype(at::kFloat));
    padded[0].narrow(0, 0, count).copy_(states_NC);
    return {padded, count};
}

}  // namespace reelgrid::models::wan
