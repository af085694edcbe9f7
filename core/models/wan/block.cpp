#include "core/models/wan/block.h"

#include <algorithm>

#include "core/models/layers/norms.h"

namespace reelgrid::models::wan {

using execution::Part;

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

void Block::forward(ResidualStream& stream, const StepEmbedding& step, const TextKeysValues& text,
                    const RopeTable& rope, const attention::LayerContext& context) const {
    // One of each for every run of tokens that share a timestep.
    std::vector<NormAffine> norm1, norm2(stream.runs(), m_norm2), norm3;
    std::vector<at::Tensor> gate1, gate2(stream.runs()), gate3;
    for (const StepEmbedding::Run& run : step.runs) {
        const at::Tensor m_6C = (m_scaleShiftTable + run.modulation_16C).view({6, -1});
        norm1.push_back({m_6C[1] + 1, m_6C[0], m_eps});
        gate1.push_back(m_6C[2]);
        norm3.push_back({m_6C[4] + 1, m_6C[3], m_eps});
        gate3.push_back(m_6C[5]);
    }
    const auto normed = [&](const std::vector<NormAffine>& norms) {
        const auto scope = context.during(Part::Norms);
        return norms.front().weight_C.defined() ? stream.normed(norms, m_dtype) : stream.value(m_dtype);
    };

    stream.add(m_attn1.forward(normed(norm1), rope, context), gate1);
    stream.add(m_attn2.forward(normed(norm2), text, context), gate2);
    stream.add(feedForward(normed(norm3), context), gate3);
}

at::Tensor Block::feedForward(const at::Tensor& x_BNC, const attention::LayerContext& context) const {
    const auto scope = context.during(Part::FeedForward);
    return models::feedForward(x_BNC, m_ffnUp, m_ffnDown);
}

std::int64_t Block::bytesPerToken(const WanTransformerConfig& config, at::ScalarType dtype) {
    const std::int64_t c = config.innerDim(), f = config.ffnDim;
    const std::int64_t stream = static_cast<std::int64_t>(sizeof(float)) * c;
    // What comes in, the wide layer, what comes out.
    const std::int64_t wide = (c + f + c) * static_cast<std::int64_t>(c10::elementSize(dtype));
    return stream + std::max(SelfAttention::bytesPerToken(config, dtype), wide);
}

}  // namespace reelgrid::models::wan
