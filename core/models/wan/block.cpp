#include "core/models/wan/block.h"

#include "core/models/wan/norms.h"

namespace reelgrid::models::wan {

Block::Block(const WanTransformerConfig& config, const weights::WeightScope& scope, int layer)
    : m_eps(config.eps),
      m_dtype(scope.dtype()),
      m_scaleShiftTable(scope.fp32("scale_shift_table", {1, 6, config.innerDim()})),
      m_attn1(config, scope / "attn1", layer),
      m_attn2(config, scope / "attn2", layer),
      m_ffnUp(Linear::load(scope / "ffn" / "net" / "0" / "proj", config.innerDim(), config.ffnDim)),
      m_ffnDown(Linear::load(scope / "ffn" / "net" / "2", config.ffnDim, config.innerDim())) {
    if (config.crossAttnNorm) {
        m_norm2Weight = scope.fp32("norm2.weight", {config.innerDim()});
        m_norm2Bias = scope.fp32("norm2.bias", {config.innerDim()});
    }
}

void Block::forward(at::Tensor& x_BNC, const at::Tensor& modulation_16C, const TextKeysValues& text,
                    const RopeTable& rope, attention::Dispatcher& dispatcher) const {
    const std::vector<at::Tensor> m = (m_scaleShiftTable + modulation_16C).view({6, -1}).unbind(0);
    const at::Tensor &shift = m[0], &scale = m[1], &gate = m[2];
    const at::Tensor &ffnShift = m[3], &ffnScale = m[4], &ffnGate = m[5];

    addGated(x_BNC, m_attn1.forward(modulatedNorm(x_BNC, shift, scale, m_eps, m_dtype), rope, dispatcher),
             gate);

    const at::Tensor normed = m_norm2Weight.defined()
                                  ? affineNorm(x_BNC, m_norm2Weight, m_norm2Bias, m_eps, m_dtype)
                                  : x_BNC.to(m_dtype);
    x_BNC.add_(m_attn2.forward(normed, text, dispatcher));

    addGated(x_BNC, feedForward(modulatedNorm(x_BNC, ffnShift, ffnScale, m_eps, m_dtype)), ffnGate);
}

at::Tensor Block::feedForward(const at::Tensor& x_BNC) const {
    at::Tensor hidden = m_ffnUp(x_BNC);
    return m_ffnDown(at::gelu_(hidden, "tanh"));
}

}  // namespace reelgrid::models::wan
