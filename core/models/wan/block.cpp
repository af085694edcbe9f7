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
    if (config.crossAttnNorm)
        m_norm2 = {scope.fp32("norm2.weight", {config.innerDim()}),
                   scope.fp32("norm2.bias", {config.innerDim()}), config.eps};
}

void Block::forward(at::Tensor& x_BNC, const at::Tensor& modulation_16C, const TextKeysValues& text,
                    const RopeTable& rope, attention::Dispatcher& dispatcher) const {
    const at::Tensor m_6C = (m_scaleShiftTable + modulation_16C).view({6, -1});
    const NormAffine norm1{m_6C[1] + 1, m_6C[0], m_eps}, norm3{m_6C[4] + 1, m_6C[3], m_eps};
    const at::Tensor gate = m_6C[2], ffnGate = m_6C[5], plain;

    const at::Tensor seen = m_attn1.forward(normed(x_BNC, norm1, m_dtype), rope, dispatcher);
    const at::Tensor read = m_attn2.forward(addThenNorm2(x_BNC, seen, gate), text, dispatcher);
    addGated(x_BNC, feedForward(addThenNorm(x_BNC, read, plain, norm3)), ffnGate);
}

at::Tensor Block::addThenNorm2(at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C) const {
    if (m_norm2.weight_C.defined()) return addThenNorm(x_BNC, y_BNC, gate_C, m_norm2);
    addGated(x_BNC, y_BNC, gate_C);
    return x_BNC.to(m_dtype);
}

at::Tensor Block::feedForward(const at::Tensor& x_BNC) const {
    at::Tensor hidden = m_ffnUp(x_BNC);
    geluTanhInPlace(hidden);
    return m_ffnDown(hidden);
}

}  // namespace reelgrid::models::wan
