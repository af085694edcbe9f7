#include "core/models/unet/token_block.h"

namespace reelgrid::models::unet {

TokenBlock::TokenBlock(const weights::WeightScope& scope, const Sizes& sizes)
    : m_heads(sizes.heads),
      m_norm1(TokenNorm::load(scope / "norm1", sizes.channels)),
      m_norm2(TokenNorm::load(scope / "norm2", sizes.channels)),
      m_norm3(TokenNorm::load(scope / "norm3", sizes.channels)),
      m_attn1(SelfProducts::load(scope / "attn1", sizes.channels)),
      m_attn2(CrossProducts::load(scope / "attn2", sizes.channels, sizes.otherChannels)),
      m_ff(GatedFeedForward::load(scope / "ff", sizes.channels)) {}

TokenNorm::OfSum TokenBlock::attended(const at::Tensor& x_FPC, const at::Tensor& tokens, int place,
                                      const attention::LayerContext& context) const {
    const PendingSum sum{x_FPC, attendSelf(m_attn1, m_norm1(x_FPC), m_heads, place, context)};
    if (isOneToken(tokens))
        return m_norm3.ofSumAndRow(sum, answerOfOneToken(m_attn2, tokens, m_heads, place, context));
    const auto [y_FPC, normed_FPC] = m_norm2.ofSum(sum);
    return m_norm3.ofSum({y_FPC, attendCross(m_attn2, normed_FPC, tokens, m_heads, place, context)});
}

PendingSum TokenBlock::forward(const at::Tensor& x_FPC, const at::Tensor& tokens, int place,
                               const attention::LayerContext& context) const {
    const auto [y_FPC, normed_FPC] = attended(x_FPC, tokens, place, context);
    const auto running = context.during(execution::Part::FeedForward);
    return {y_FPC, m_ff(normed_FPC)};
}

}  // namespace reelgrid::models::unet
