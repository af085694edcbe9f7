#include "core/models/wan/prompt.h"

#include <span>
#include <utility>

#include "core/base/result.h"
#include "core/denoising/named_prompts.h"
#include "core/text/cleaning/prompt_cleaning.h"

namespace reelgrid::models::wan {
namespace {

text::Umt5Encoder loadEncoder(const Checkpoint& model, at::ScalarType dtype, at::Device device) {
    const Checkpoint::TextEncoder encoder = model.textEncoder();
    return {encoder.config, weights::WeightScope(*encoder.weights, dtype, device)};
}

}  // namespace

Tokenizer loadTokenizer(const Checkpoint& model) {
    auto tokenizer = std::make_shared<const text::SentencePieceTokenizer>(model.tokenizer());
    const std::int64_t vocabulary = model.textEncoder().config.vocabSize;
    if (tokenizer->idBound() > vocabulary)
        throw Failure(ErrorCode::InvalidData,
                      "the tokenizer " + model.path("tokenizer").string() + " has ids up to " +
                          std::to_string(tokenizer->idBound() - 1) +
                          ", but the text encoder's vocab_size is " + std::to_string(vocabulary));
    return tokenizer;
}

PromptEncoder::PromptEncoder(const Checkpoint& model, Tokenizer tokenizer, at::ScalarType dtype,
                             at::Device device)
    : m_tokenizer(std::move(tokenizer)), m_encoder(loadEncoder(model, dtype, device)) {}

PromptEmbedding PromptEncoder::embed(const std::string& prompt) const {
    const text::TokenIds tokens =
        m_tokenizer->encode(text::cleanPrompt(prompt), static_cast<std::size_t>(kMaxPromptTokens));
    const at::Tensor states_NC = m_encoder.forward(std::span(tokens.ids).first(tokens.count));
    const auto count = static_cast<std::int64_t>(tokens.count);
    at::Tensor padded =
        at::zeros({1, kMaxPromptTokens, states_NC.size(1)}, states_NC.options().dtype(at::kFloat));
    padded[0].narrow(0, 0, count).copy_(states_NC);
    return {padded, count};
}

denoising::PromptMemory promptMemory(const Checkpoint& model, const Tokenizer& tokenizer,
                                     const denoising::LoadOptions& options) {
    return {options.encoders,
            [model, tokenizer, dtype = text::t5Dtype(options.dtype), device = options.execution.device] {
                return std::make_unique<PromptEncoder>(model, tokenizer, dtype, device);
            }};
}

std::vector<std::string> cutPrompts(const text::SentencePieceTokenizer& tokenizer,
                                    const catalog::RenderSettings& settings) {
    std::vector<text::NamedPrompt> prompts = denoising::namedPrompts(settings);
    for (text::NamedPrompt& prompt : prompts) prompt.text = text::cleanPrompt(prompt.text);
    return text::cutPrompts(tokenizer, static_cast<std::size_t>(kMaxPromptTokens), prompts);
}

}  // namespace reelgrid::models::wan
