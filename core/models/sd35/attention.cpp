#include "core/models/sd35/attention.h"

#include "core/models/layers/join_heads.h"
#include "core/models/layers/norms.h"

namespace reelgrid::models::sd35 {

using execution::Part;

namespace {

constexpr double kHeadNormEps = 1e-6;
constexpr Projections::Names kPictureNames{"to_q", "to_k", "to_v", "norm_q", "norm_k"};
constexpr Projections::Names kTextNames{"add_q_proj", "add_k_proj", "add_v_proj", "norm_added_q",
                                        "norm_added_k"};

/// softmax(q kᵀ / √D) v as [B, N, C].
at::Tensor attend(const HeadProducts& products, const attention::CallSite& site,
                  const attention::TokenGrid& grid, const attention::LayerContext& context) {
    const auto running = context.during(Part::SelfAttention);
    return context.dispatcher
        .attend({.q_BHND = products.q_BNHD.transpose(1, 2),
                 .k_BHMD = products.k_BNHD.transpose(1, 2),
                 .v_BHMD = products.v_BNHD.transpose(1, 2),
                 .keyBias_M = {},
                 .grid = grid},
                site)
        .transpose(1, 2)
        .flatten(2);
}

}  // namespace

HeadRmsNorm HeadRmsNorm::load(const weights::WeightScope& scope, const Sd35TransformerConfig& config) {
    if (config.qkNorm == Sd35TransformerConfig::QkNorm::None) return {};
    return {scope.fp32("weight", {config.attentionHeadDim})};
}

at::Tensor HeadRmsNorm::normed(const at::Tensor& x_BNC, std::int64_t heads) const {
    const at::Tensor x_BNHD = x_BNC.unflatten(-1, {heads, -1});
    if (!weight_D.defined()) return x_BNHD;
    at::Tensor rows_1RD = x_BNHD.reshape({1, -1, x_BNHD.size(-1)});
    rmsNormInPlace(rows_1RD, weight_D, kHeadNormEps);
    return rows_1RD.view(x_BNHD.sizes());
}

Projections::Projections(const Sd35TransformerConfig& config, const weights::WeightScope& scope,
                         const Names& names)
    : m_heads(config.numAttentionHeads),
      m_normQ(HeadRmsNorm::load(scope / names.normQ, config)),
      m_normK(HeadRmsNorm::load(scope / names.normK, config)) {
    const auto c = config.innerDim();
    m_qkv = Linear::joined({Linear::load(scope / names.q, c, c), Linear::load(scope / names.k, c, c),
                            Linear::load(scope / names.v, c, c)});
}

HeadProducts Projections::normed(const at::Tensor& qkv_BNV) const {
    const std::vector<at::Tensor> qkv = qkv_BNV.chunk(3, -1);
    return {m_normQ.normed(qkv[0], m_heads), m_normK.normed(qkv[1], m_heads),
            qkv[2].unflatten(-1, {m_heads, -1})};
}

HeadProducts Projections::joined(const std::vector<std::pair<const Projections*, at::Tensor>>& kinds,
                                 const attention::LayerContext& context) {
    std::vector<at::Tensor> products_BNV;
    std::int64_t tokens = 0;
    for (const auto& [projections, x_BNC] : kinds) {
        products_BNV.push_back(projections->m_qkv(x_BNC));
        tokens += x_BNC.size(1);
    }
    const auto norms = context.during(Part::Norms);
    const at::Tensor& of = products_BNV.front();
    const std::int64_t heads = kinds.front().first->m_heads, headDim = of.size(2) / 3 / heads;
    if (joinsHeads(of, headDim)) {
        // By itself a kind is in its place.
        const at::Tensor all_BTV =
            kinds.size() == 1 ? of : at::empty({of.size(0), tokens, of.size(2)}, of.options());
        std::int64_t first = 0;
        for (std::size_t i = 0; i < kinds.size(); first += products_BNV[i++].size(1)) {
            const Projections& kind = *kinds[i].first;
            joinHeads(products_BNV[i], headDim, {kind.m_normQ.weight_D, kind.m_normK.weight_D, kHeadNormEps},
                      all_BTV, first);
        }
        const at::Tensor all_BT3HD = all_BTV.unflatten(-1, {3, heads, -1});
        return {all_BT3HD.select(2, 0), all_BT3HD.select(2, 1), all_BT3HD.select(2, 2)};
    }
    std::vector<at::Tensor> q, k, v;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const HeadProducts each = kinds[i].first->normed(products_BNV[i]);
        q.push_back(each.q_BNHD);
        k.push_back(each.k_BNHD);
        v.push_back(each.v_BNHD);
    }
    if (kinds.size() == 1) return {q[0], k[0], v[0]};
    return {at::cat(q, 1), at::cat(k, 1), at::cat(v, 1)};
}

JointAttention::JointAttention(const Sd35TransformerConfig& config, const weights::WeightScope& scope,
                               std::int64_t layer)
    : m_picture(config, scope, kPictureNames), m_text(config, scope, kTextNames) {
    const auto c = config.innerDim();
    m_out = Linear::load(scope / "to_out" / "0", c, c);
    if (!config.isLast(layer)) m_addOut = Linear::load(scope / "to_add_out", c, c);
}

JointAttention::Output JointAttention::forward(const at::Tensor& picture_BNC, const at::Tensor& text_BMC,
                                               int layer, const attention::LayerContext& context) const {
    const auto running = context.during(Part::Projections);
    const HeadProducts products =
        Projections::joined({{&m_picture, picture_BNC}, {&m_text, text_BMC}}, context);
    attention::TokenGrid grid = context.grid;
    grid.textAfter = text_BMC.size(1);
    const at::Tensor seen_BNC = attend(products, {attention::ModuleKind::Joint, layer}, grid, context);
    const std::int64_t tokens = picture_BNC.size(1), textTokens = text_BMC.size(1);
    Output out{m_out(seen_BNC.narrow(1, 0, tokens).contiguous()), {}};
    if (m_addOut.weight.defined())
        out.text_BMC = m_addOut(seen_BNC.narrow(1, tokens, textTokens).contiguous());
    return out;
}

std::int64_t JointAttention::bytesPerToken(const Sd35TransformerConfig& config, at::ScalarType dtype) {
    // What comes in, q, k and v by themselves and joined to the text's, what attention gives, its projection.
    return (1 + 3 + 3 + 1 + 1) * config.innerDim() * static_cast<std::int64_t>(c10::elementSize(dtype));
}

PictureAttention::PictureAttention(const Sd35TransformerConfig& config, const weights::WeightScope& scope)
    : m_picture(config, scope, kPictureNames),
      m_out(Linear::load(scope / "to_out" / "0", config.innerDim(), config.innerDim())) {}

at::Tensor PictureAttention::forward(const at::Tensor& picture_BNC, int layer,
                                     const attention::LayerContext& context) const {
    const auto running = context.during(Part::Projections);
    const HeadProducts products = Projections::joined({{&m_picture, picture_BNC}}, context);
    return m_out(attend(products, {attention::ModuleKind::Self, layer}, context.grid, context));
}

}  // namespace reelgrid::models::sd35
