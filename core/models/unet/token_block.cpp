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

at::Tensor TokenBlock::forward(const at::Tensor& x_FPC, const at::Tensor& tokens, int place,
                               const attention::LayerContext& context) const {
    at::Tensor y_FPC = x_FPC + attendSelf(m_attn1, m_norm1(x_FPC), m_heads, place, context);
    y_FPC = y_FPC + attendCross(m_attn2, m_norm2(y_FPC), tokens, m_heads, place, context);
    const auto running = context.during(execution::Part::FeedForward);
    return y_FPC + m_ff(m_norm3(y_FPC));
}

}  // namespace reelgrid::models::unet
