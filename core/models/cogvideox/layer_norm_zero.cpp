#include "core/models/cogvideox/layer_norm_zero.h"

#include <array>

namespace reelgrid::models::cogvideox {

LayerNormZero::LayerNormZero(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope)
    : m_linear(Linear::load(scope / "linear", config.timeEmbedDim, kRows * config.innerDim())),
      m_norm{scope.fp32("norm.weight", {config.innerDim()}), scope.fp32("norm.bias", {config.innerDim()}),
             config.normEps} {}

at::Tensor LayerNormZero::modulation(const at::Tensor& embedding_1T) const {
    // shift, scale and gate of the video's tokens, then of the text's.
    const at::Tensor m_6C = m_linear(embedding_1T).to(at::kFloat).view({kRows, -1});
    const auto folded = [&](std::int64_t first) {
        const at::Tensor scale = m_6C[first + 1] + 1;
        return std::array{m_norm.weight_C * scale, m_norm.bias_C * scale + m_6C[first], m_6C[first + 2]};
    };
    const auto video = folded(0), text = folded(3);
    return at::stack({text[0], text[1], text[2], video[0], video[1], video[2]});
}

ModulatedNorm LayerNormZero::modulated(const at::Tensor& modulation_6C) const {
    const auto row = [&](std::int64_t index) { return modulation_6C[index]; };
    return {.norms = {{row(0), row(1), m_norm.eps}, {row(3), row(4), m_norm.eps}},
            .gates_C = {row(2), row(5)}};
}

}  // namespace reelgrid::models::cogvideox
