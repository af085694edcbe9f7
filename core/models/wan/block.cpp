#include "core/models/wan/block.h"

#include "core/models/wan/norms.h"

namespace reelgrid::models::wan {

using execution::Part;
using execution::PartScope;

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

void Block::forward(ResidualStream& stream, const at::Tensor& modulation_16C, const TextKeysValues& text,
                    const RopeTable& rope, attention::Dispatcher& dispatcher,
                    execution::PartClock* parts) const {
    const at::Tensor m_6C = (m_scaleShiftTable + modulation_16C).view({6, -1});
    const NormAffine norm1{m_6C[1] + 1, m_6C[0], m_eps}, norm3{m_6C[4] + 1, m_6C[3], m_eps};
    const auto normed = [&](const NormAffine& norm) {
        const PartScope scope(parts, Part::Norms);
        return norm.weight_C.defined() ? stream.normed(norm, m_dtype) : stream.value().to(m_dtype);
    };

    stream.add(m_attn1.forward(normed(norm1), rope, dispatcher, parts), m_6C[2]);
    stream.add(m_attn2.forward(normed(m_norm2), text, dispatcher, parts), {});
    stream.add(feedForward(normed(norm3), parts), m_6C[5]);
}

at::Tensor Block::feedForward(const at::Tensor& x_BNC, execution::PartClock* parts) const {
    const PartScope scope(parts, Part::FeedForward);
    return m_ffnDown(linearGelu(x_BNC, m_ffnUp));
}

}  // namespace reelgrid::models::wan
