#include "core/models/sd35/prompted_transformer.h"

#include <utility>

namespace reelgrid::models::sd35 {
namespace {

std::optional<PreparedText> negativeOf(const Sd35Transformer& model, const EncodedTexts& texts) {
    if (!texts.negative) return std::nullopt;
    return PreparedText{model.prepareText(texts.negative->tokens_1MT), 1};
}

}  // namespace

PromptedTransformer::PromptedTransformer(Sd35Transformer& model, const EncodedTexts& texts,
                                         std::vector<int> skippedLayers)
    : PromptedNetwork(model, {model.prepareText(texts.prompt.tokens_1MT), 0}, negativeOf(model, texts)),
      m_transformer(model),
      m_text{model.prepareText(texts.prompt.tokens_1MT), 0},
      m_skippedLayers(std::move(skippedLayers)) {
    std::vector<at::Tensor> pooled{texts.prompt.pooled_1V};
    if (texts.negative) pooled.push_back(texts.negative->pooled_1V);
    m_pooled_PC = model.preparePooled(at::cat(pooled));
}

void PromptedTransformer::beginStep(const at::Tensor& latents_BCTHW, double timestep) {
    m_input = latents_BCTHW;
    m_step = m_transformer.embedTimestep(timestep, m_pooled_PC);
}

at::Tensor PromptedTransformer::forwardSkippingLayers(const attention::LayerContext& context) {
    return m_transformer.forward(m_input, m_step, m_text, context, m_skippedLayers);
}

}  // namespace reelgrid::models::sd35
