#include "core/vae/wan21/encoder.h"

namespace reelgrid::vae::wan21 {

Encoder::Encoder(const LayerSource& source, const WanVaeConfig& config)
    : Encoder(source, config, config.baseDim * config.dimMult.back()) {}

Encoder::Encoder(const LayerSource& source, const WanVaeConfig& config, std::int64_t narrowestChannels)
    : m_convIn(source / "conv_in", 3, config.baseDim),
      m_midBlock(source / "mid_block", narrowestChannels),
      m_normOut(source / "norm_out", narrowestChannels, RmsNorm::Of::Video),
      m_convOut(source / "conv_out", narrowestChannels, 2 * config.zDim) {
    const LayerSource down = source / "down_blocks";
    std::int64_t channels = config.baseDim;
    const auto index = [&] { return std::int64_t(m_downBlocks.size()); };
    for (std::size_t level = 0; level < config.dimMult.size(); ++level) {
        const std::int64_t wide = config.baseDim * config.dimMult[level];
        for (std::int64_t block = 0; block < config.numResBlocks; ++block) {
            m_downBlocks.emplace_back(ResidualBlock(down / index(), channels, wide));
            channels = wide;
        }
        if (level + 1 == config.dimMult.size()) break;
        m_downBlocks.emplace_back(
            Downsample(down / index(), channels,
                       config.temporalDownsample[level] ? ResampleAxes::SpaceAndTime : ResampleAxes::Space));
    }
}

at::Tensor Encoder::forward(const at::Tensor& x_THWC, FeatureCache& cache) const {
    at::Tensor h = m_convIn.forward(x_THWC, cache);
    for (const auto& layer : m_downBlocks) {
        h = std::visit([&](const auto& block) { return block.forward(h, cache); }, layer);
    }
    h = m_midBlock.forward(h, cache);
    return m_convOut.forward(h, cache, {.normSilu = &m_normOut, .residual_THWO = {}});
}

}  // namespace reelgrid::vae::wan21
