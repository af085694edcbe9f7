#include "core/models/animatediff/spatial_transformer.h"

namespace reelgrid::models::animatediff {
namespace {

constexpr double kTokensNormEps = 1e-6;

Linear loadProjection(const weights::WeightScope& scope, std::int64_t channels,
                      UnetConfig::TokenProjection projection) {
    if (projection == UnetConfig::TokenProjection::Linear) return Linear::load(scope, channels, channels);
    return {scope("weight", {channels, channels, 1, 1}).reshape({channels, channels}),
            scope("bias", {channels})};
}

}  // namespace

SpatialTransformer::SpatialTransformer(const LayerSource& source, const Sizes& sizes, int place)
    : m_sizes(sizes),
      m_place(place),
      m_norm(source / "norm", sizes.channels, sizes.normGroups, kTokensNormEps),
      m_proj_in(loadProjection(source.weights / "proj_in", sizes.channels, sizes.projection)),
      m_proj_out(loadProjection(source.weights / "proj_out", sizes.channels, sizes.projection)) {
    const auto c = sizes.channels, x = sizes.textChannels;
    for (std::int64_t i = 0; i < sizes.layers; ++i) {
        const weights::WeightScope block = source.weights / "transformer_blocks" / i, cross = block / "attn2";
        m_blocks.push_back(
            {.norm1 = TokenNorm::load(block / "norm1", c),
             .norm2 = TokenNorm::load(block / "norm2", c),
             .norm3 = TokenNorm::load(block / "norm3", c),
             .attn1 = SelfProducts::load(block / "attn1", c),
             .to_q_CC = (cross / "to_q")("weight", {c, c}),
             .to_kv_OX = at::cat({(cross / "to_k")("weight", {c, x}), (cross / "to_v")("weight", {c, x})}),
             .to_out = Linear::load(cross / "to_out" / 0, c, c),
             .ff = GatedFeedForward::load(block / "ff", c)});
    }
}

at::Tensor SpatialTransformer::attendSelf(const Block& block, const at::Tensor& x_FPC,
                                          const attention::LayerContext& context) const {
    const auto running = context.during(execution::Part::SelfAttention);
    const auto qkv = block.attn1.to_qkv(x_FPC).chunk(3, -1);
    const at::Tensor mixed_FHPD = context.dispatcher.attend({.q_BHND = headsOf(qkv[0], m_sizes.heads),
                                                             .k_BHMD = headsOf(qkv[1], m_sizes.heads),
                                                             .v_BHMD = headsOf(qkv[2], m_sizes.heads),
                                                             .keyBias_M = {}},
                                                            {attention::ModuleKind::Self, m_place});
    return block.attn1.to_out(mixed_FHPD.transpose(1, 2).flatten(2));
}

/// Of one text for all frames their pixels are one sequence of queries: the same sums, one call.
at::Tensor SpatialTransformer::attendText(const Block& block, const at::Tensor& x_FPC, const at::Tensor& text,
                                          const attention::LayerContext& context) const {
    const auto running = context.during(execution::Part::CrossAttention);
    const bool shared = text.size(0) == 1;
    const at::Tensor q = execution::linear(x_FPC, block.to_q_CC);
    const auto kv = execution::linear(text, block.to_kv_OX).chunk(2, -1);
    const at::Tensor mixed = context.dispatcher.attend(
        {.q_BHND = headsOf(shared ? q.flatten(0, 1).unsqueeze(0) : q, m_sizes.heads),
         .k_BHMD = headsOf(kv[0], m_sizes.heads),
         .v_BHMD = headsOf(kv[1], m_sizes.heads),
         .keyBias_M = {}},
        {attention::ModuleKind::Cross, m_place});
    return block.to_out(mixed.transpose(1, 2).flatten(2).view_as(x_FPC));
}

at::Tensor SpatialTransformer::forward(const at::Tensor& x_FHWC, const at::Tensor& text,
                                       const attention::LayerContext& context) const {
    at::Tensor y_FPC = m_proj_in(m_norm.forward(x_FHWC).flatten(1, 2));
    for (const Block& block : m_blocks) {
        y_FPC = y_FPC + attendSelf(block, block.norm1(y_FPC), context);
        y_FPC = y_FPC + attendText(block, block.norm2(y_FPC), text, context);
        const auto running = context.during(execution::Part::FeedForward);
        y_FPC = y_FPC + block.ff(block.norm3(y_FPC));
    }
    return x_FHWC + m_proj_out(y_FPC).view_as(x_FHWC);
}

}  // namespace reelgrid::models::animatediff
