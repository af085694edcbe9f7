#include "core/vae/wan21/decoder.h"

namespace reelgrid::vae::wan21 {

Decoder::Decoder(const LayerSource& source, const WanVaeConfig& config)
    : m_convIn(source / "conv_in", config.zDim, config.decoderBaseDim * config.dimMult.back()),
      m_midBlock(source / "mid_block", config.decoderBaseDim * config.dimMult.back()),
      m_normOut(source / "norm_out", config.decoderBaseDim * config.dimMult.front(), RmsNorm::Of::Video),
      m_convOut(source / "conv_out", config.decoderBaseDim * config.dimMult.front(), 3) {
    const std::size_t levels = config.dimMult.size();
    std::int64_t channels = config.decoderBaseDim * config.dimMult.back();
    for (std::size_t up = 0; up < levels; ++up) {
        const LayerSource block = source / "up_blocks" / std::int64_t(up);
        const std::int64_t wide = config.decoderBaseDim * config.dimMult[levels - 1 - up];
        UpBlock& made = m_upBlocks.emplace_back();
        for (std::int64_t i = 0; i <= config.numResBlocks; ++i) {
            made.resnets.emplace_back(block / "resnets" / i, channels, wide);
            channels = wide;
        }
        if (up + 1 == levels) break;
        const bool inTime = config.temporalDownsample[levels - 2 - up];
        made.upsampler.emplace(block / "upsamplers" / 0, wide,
                               inTime ? ResampleAxes::SpaceAndTime : ResampleAxes::Space);
        channels = wide / 2;
    }
}

at::Tensor Decoder::forward(const at::Tensor& z_THWC, FeatureCache& cache) const {
    at::Tensor h = m_midBlock.forward(m_convIn.forward(z_THWC, cache), cache);
    cache.endPart("mid_block");
    for (std::size_t up = 0; up < m_upBlocks.size(); ++up) {
        for (const ResidualBlock& resnet : m_upBlocks[up].resnets) h = resnet.forward(h, cache);
        cache.endPart("up_blocks." + std::to_string(up));
        if (m_upBlocks[up].upsampler) h = m_upBlocks[up].upsampler->forward(h, cache);
        cache.endPart("upsampler." + std::to_string(up));
    }
    h = m_convOut.forward(h, cache, {.normSilu = &m_normOut, .residual_THWO = {}});
    cache.endPart("conv_out");
    return h;
}

}  // namespace reelgrid::vae::wan21
