#include "core/models/wan/attention.h"

#include "core/models/layers/norms.h"

namespace reelgrid::models::wan {
namespace {

using execution::Part;

at::Tensor splitHeads(const at::Tensor& x_BNC, std::int64_t heads) {
    return x_BNC.unflatten(-1, {heads, -1}).transpose(1, 2);
}

at::Tensor joinHeads(const at::Tensor& x_BHND) {
    return x_BHND.transpose(1, 2).flatten(2);
}

/// proj_l below the module that holds it in one or the other conversion of TurboDiffusion's checkpoints,
/// whose own name is attn_op.local_attn; not quantised there, so fp32 in every dtype here.
Linear loadProjL(const weights::WeightScope& scope, std::int64_t headDim) {
    for (const char* name :
         {"proj_l", "attn_op.local_attn.proj_l", "local_attn.proj_l", "attn_impl.proj_l"}) {
        const weights::WeightScope projL = scope / name;
        if (!projL.has("weight")) continue;
        Linear loaded{projL.fp32("weight", {headDim, headDim}).contiguous(), {}};
        if (projL.has("bias")) loaded.bias = projL.fp32("bias", {headDim}).contiguous();
        return loaded;
    }
    return {};
}

}  // namespace

SelfAttention::SelfAttention(const WanTransformerConfig& config, const weights::WeightScope& scope, int layer)
    : m_heads(config.numAttentionHeads), m_eps(config.eps), m_layer(layer) {
    const auto c = config.innerDim();
    m_qkv = Linear::joined({Linear::load(scope / "to_q", c, c), Linear::load(scope / "to_k", c, c),
                            Linear::load(scope / "to_v", c, c)});
    m_normQ = scope.fp32("norm_q.weight", {c});
    m_normK = scope.fp32("norm_k.weight", {c});
    m_out = Linear::load(scope / "to_out" / "0", c, c);
    m_projL = loadProjL(scope, config.attentionHeadDim);
}

at::Tensor SelfAttention::forward(const at::Tensor& x_BNC, const RopeTable& rope,
                                  const attention::LayerContext& context) const {
    const auto projections = context.during(Part::Projections);
    const std::vector<at::Tensor> qkv = m_qkv(x_BNC).chunk(3, -1);
    at::Tensor q_BNC = qkv[0], k_BNC = qkv[1];
    {
        const auto norms = context.during(Part::Norms);
        rmsNormInPlace(q_BNC, m_normQ, m_eps, &rope);
        rmsNormInPlace(k_BNC, m_normK, m_eps, &rope);
    }
    const auto attend = [&] {
        const auto attention = context.during(Part::SelfAttention);
        return context.attendShared({splitHeads(q_BNC, m_heads),
                                     splitHeads(k_BNC, m_heads),
                                     splitHeads(qkv[2], m_heads),
                                     {},
                                     m_projL.weight,
                                     m_projL.bias},
                                    {attention::ModuleKind::Self, m_layer});
    };
    return m_out(joinHeads(attend()));
}

CrossAttention::CrossAttention(const WanTransformerConfig& config, const weights::WeightScope& scope,
                               int layer)
    : m_heads(config.numAttentionHeads), m_eps(config.eps), m_layer(layer) {
    const auto c = config.innerDim();
    m_q = Linear::load(scope / "to_q", c, c);
    m_k = Linear::load(scope / "to_k", c, c);
    m_v = Linear::load(scope / "to_v", c, c);
    m_normQ = scope.fp32("norm_q.weight", {c});
    m_normK = scope.fp32("norm_k.weight", {c});
    if (config.imageDim > 0) {
        m_addK = Linear::load(scope / "add_k_proj", c, c);
        m_addV = Linear::load(scope / "add_v_proj", c, c);
        m_normAddedK = scope.fp32("norm_added_k.weight", {c});
    }
    m_out = Linear::load(scope / "to_out" / "0", c, c);
}

TextKeysValues CrossAttention::prepare(const at::Tensor& text_BMC, const at::Tensor& keyBias_M,
                                       const at::Tensor& image_BIC) const {
    at::Tensor k_BMC = m_k(text_BMC);
    rmsNormInPlace(k_BMC, m_normK, m_eps);
    TextKeysValues prepared{
        splitHeads(k_BMC, m_heads), splitHeads(m_v(text_BMC), m_heads), keyBias_M, {}, {}};
    if (!image_BIC.defined()) return prepared;
    at::Tensor k_BIC = m_addK(image_BIC);
    rmsNormInPlace(k_BIC, m_normAddedK, m_eps);
    prepared.imageK_BHID = splitHeads(k_BIC, m_heads);
    prepared.imageV_BHID = splitHeads(m_addV(image_BIC), m_heads);
    return prepared;
}

at::Tensor CrossAttention::forward(const at::Tensor& x_BNC, const TextKeysValues& text,
                                   const attention::LayerContext& context) const {
    const auto projections = context.during(Part::Projections);
    at::Tensor q_BNC = m_q(x_BNC);
    {
        const auto norms = context.during(Part::Norms);
        rmsNormInPlace(q_BNC, m_normQ, m_eps);
    }
    const at::Tensor q_BHND = splitHeads(q_BNC, m_heads);
    const auto attend = [&](const at::Tensor& k_BHMD, const at::Tensor& v_BHMD, const at::Tensor& keyBias_M) {
        const auto attention = context.during(Part::CrossAttention);
        return joinHeads(context.dispatcher.attend({.q_BHND = q_BHND,
                                                    .k_BHMD = k_BHMD,
                                                    .v_BHMD = v_BHMD,
                                                    .keyBias_M = keyBias_M,
                                                    .grid = context.gridOfQueries()},
                                                   {attention::ModuleKind::Cross, m_layer}));
    };
    const at::Tensor ofText_BNC = attend(text.k_BHMD, text.v_BHMD, text.keyBias_M);
    if (!text.imageK_BHID.defined()) return m_out(ofText_BNC);
    return m_out(ofText_BNC + attend(text.imageK_BHID, text.imageV_BHID, {}));
}

std::int64_t SelfAttention::bytesPerToken(const WanTransformerConfig& config, at::ScalarType dtype) {
    // What comes in, q, k and v, what attention gives, its projection.
    return (1 + 3 + 1 + 1) * config.innerDim() * static_cast<std::int64_t>(c10::elementSize(dtype));
}

}  // namespace reelgrid::models::wan
