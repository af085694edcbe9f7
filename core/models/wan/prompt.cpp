#include "core/models/wan/prompt.h"

#include <span>

#include "core/base/result.h"
#include "core/text/cleaning/prompt_cleaning.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::wan {
namespace {

text::Umt5Encoder loadEncoder(const std::filesystem::path& folder, at::ScalarType dtype, at::Device device) {
    const auto config = text::Umt5Config::read(weights::ModelConfig::read(folder));
    weights::SafetensorsFolder source(folder);
    return text::Umt5Encoder(config, weights::WeightScope(source, dtype, device));
}

}  // namespace

PromptEncoder::PromptEncoder(const std::filesystem::path& model, at::ScalarType dtype, at::Device device)
    : m_tokenizer(model / "tokenizer"), m_encoder(loadEncoder(model / "text_encoder", dtype, device)) {
    if (m_tokenizer.idBound() > m_encoder.config().vocabSize)
        throw Failure(ErrorCode::InvalidData, (model / "tokenizer").string() + ": has ids up to " +
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
