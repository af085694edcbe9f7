#include "core/models/cogvideox/attention.h"

namespace reelgrid::models::cogvideox {

using execution::Part;

JointAttention::JointAttention(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope,
                               int layer)
    : m_heads(config.numAttentionHeads), m_layer(layer) {
    const auto c = config.innerDim(), d = config.attentionHeadDim;
    m_qkv = Linear::joined({Linear::load(scope / "to_q", c, c), Linear::load(scope / "to_k", c, c),
                            Linear::load(scope / "to_v", c, c)});
    m_normQ = HeadNorm::load(scope / "norm_q", d);
    m_normK = HeadNorm::load(scope / "norm_k", d);
    m_out = Linear::load(scope / "to_out" / "0", c, c);
}

at::Tensor JointAttention::forward(const at::Tensor& x_BNC, const at::Tensor& rotary,
                                   const attention::LayerContext& context) const {
    const auto projections = context.during(Part::Projections);
    const std::vector<at::Tensor> qkv = m_qkv(x_BNC).chunk(3, -1);
    at::Tensor q_BHND, k_BHND;
    {
        const auto norms = context.during(Part::Norms);
        q_BHND = m_normQ.normed(qkv[0], rotary).transpose(1, 2);
        k_BHND = m_normK.normed(qkv[1], rotary).transpose(1, 2);
    }
    const auto attend = [&] {
        const auto attention = context.during(Part::SelfAttention);
        const at::Tensor v_BHND = qkv[2].unflatten(-1, {m_heads, -1}).transpose(1, 2);
        return context.attendShared({q_BHND, k_BHND, v_BHND, {}}, {attention::ModuleKind::Joint, m_layer});
    };
    return m_out(attend().transpose(1, 2).flatten(2));
}

std::int64_t JointAttention::bytesPerToken(const CogVideoXTransformerConfig& config, at::ScalarType dtype) {
    // What comes in, q, k and v, what attention gives, its projection.
    return (1 + 3 + 1 + 1) * config.innerDim() * static_cast<std::int64_t>(c10::elementSize(dtype));
}

}  // namespace reelgrid::models::cogvideox
