#include "core/models/cogvideox/block.h"

#include <algorithm>

namespace reelgrid::models::cogvideox {

using execution::Part;

Block::Block(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope, int layer)
    : m_dtype(scope.dtype()),
      m_norm1(config, scope / "norm1"),
      m_attn1(config, scope / "attn1", layer),
      m_norm2(config, scope / "norm2"),
      m_ffUp(Linear::load(scope / "ff" / "net" / "0" / "proj", config.innerDim(), config.feedForwardDim())),
      m_ffDown(Linear::load(scope / "ff" / "net" / "2", config.feedForwardDim(), config.innerDim())) {}

at::Tensor Block::modulation(const at::Tensor& embedding_1T) const {
    return at::cat({m_norm1.modulation(embedding_1T), m_norm2.modulation(embedding_1T)});
}

void Block::forward(ResidualStream& stream, const at::Tensor& modulation_12C, const at::Tensor& rotary,
                    const attention::LayerContext& context) const {
    const auto normed = [&](const ModulatedNorm& norm) {
        const auto scope = context.during(Part::Norms);
        return stream.normed(norm.norms, m_dtype);
    };
    const ModulatedNorm norm1 = m_norm1.modulated(modulation_12C.narrow(0, 0, LayerNormZero::kRows));
    stream.add(m_attn1.forward(normed(norm1), rotary, context), norm1.gates_C);

    const ModulatedNorm norm2 =
        m_norm2.modulated(modulation_12C.narrow(0, LayerNormZero::kRows, LayerNormZero::kRows));
    const at::Tensor x_BNC = normed(norm2);
    const auto scope = context.during(Part::FeedForward);
    stream.add(feedForward(x_BNC, m_ffUp, m_ffDown), norm2.gates_C);
}

std::int64_t Block::bytesPerToken(const CogVideoXTransformerConfig& config, at::ScalarType dtype) {
    const std::int64_t c = config.innerDim(), f = config.feedForwardDim();
    const std::int64_t stream = static_cast<std::int64_t>(sizeof(float)) * c;
    // What comes in, the wide layer, what comes out.
    const std::int64_t wide = (c + f + c) * static_cast<std::int64_t>(c10::elementSize(dtype));
    return stream + std::max(JointAttention::bytesPerToken(config, dtype), wide);
}

}  // namespace reelgrid::models::cogvideox
