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

SpatialTransformer::SpatialTransformer(const vae::LayerSource& source, const Sizes& sizes, int place)
    : m_place(place),
      m_norm(source / "norm", sizes.channels, sizes.normGroups, kTokensNormEps),
      m_proj_in(loadProjection(source.weights / "proj_in", sizes.channels, sizes.projection)),
      m_proj_out(loadProjection(source.weights / "proj_out", sizes.channels, sizes.projection)) {
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        m_blocks.emplace_back(
            source.weights / "transformer_blocks" / i,
            unet::TokenBlock::Sizes{
                .channels = sizes.channels, .heads = sizes.heads, .otherChannels = sizes.textChannels});
}

at::Tensor SpatialTransformer::forward(const at::Tensor& x_FHWC, const at::Tensor& text,
                                       const attention::LayerContext& context) const {
    const attention::LayerContext here = unet::contextOf(x_FHWC, context);
    at::Tensor y_FPC = m_proj_in(m_norm.forward(x_FHWC).flatten(1, 2));
    for (const unet::TokenBlock& block : m_blocks) y_FPC = block.forward(y_FPC, text, m_place, here).value();
    return x_FHWC + m_proj_out(y_FPC).view_as(x_FHWC);
}

}  // namespace reelgrid::models::animatediff
