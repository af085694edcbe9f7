#include "core/vae/cogvideox/decoder.h"

#include <utility>

namespace reelgrid::vae::cogvideox {

namespace {

ResidualBlock::Shape blockOf(const CogVideoXVaeConfig& config, std::int64_t in, std::int64_t out) {
    return {.in = in,
            .out = out,
            .norm = Norm::Of::FramesOverLatents,
            .groups = config.normGroups,
            .zDim = config.zDim};
}

}  // namespace

Decoder::Decoder(const LayerSource& source, const CogVideoXVaeConfig& config)
    : m_convIn(source / "conv_in", config.zDim, config.blockChannels.back()),
      m_midBlock(source / "mid_block",
                 blockOf(config, config.blockChannels.back(), config.blockChannels.back())),
      m_normOut(source / "norm_out", Norm::Of::FramesOverLatents,
                {.channels = config.blockChannels.front(), .groups = config.normGroups, .zDim = config.zDim}),
      m_convOut(source / "conv_out", config.blockChannels.front(), 3) {
    for (std::size_t up = 0; up < config.blockChannels.size(); ++up)
        m_upBlocks.push_back(makeUpBlock(source / "up_blocks" / std::int64_t(up), config, up));
}

Decoder::UpBlock Decoder::makeUpBlock(const LayerSource& source, const CogVideoXVaeConfig& config,
                                      std::size_t up) {
    const std::size_t level = config.blockChannels.size() - 1 - up;
    const std::int64_t out = config.blockChannels[level];
    const std::int64_t in = up == 0 ? out : config.blockChannels[level + 1];
    UpBlock block;
    for (std::int64_t i = 0; i <= config.layersPerBlock; ++i)
        block.resnets.emplace_back(source / "resnets" / i, blockOf(config, i == 0 ? in : out, out));
    if (level == 0) return block;
    block.upsampler.emplace(
        source / "upsamplers" / 0, out,
        std::int64_t(up) < config.timeLevels ? ResampleAxes::SpaceAndTime : ResampleAxes::Space);
    return block;
}

at::Tensor Decoder::forward(const at::Tensor& z_THWC, ConvCache& cache) const {
    at::Tensor h = m_midBlock.forward(m_convIn.forward(z_THWC, cache), z_THWC, cache);
    for (const UpBlock& block : m_upBlocks) {
        for (const ResidualBlock& resnet : block.resnets) h = resnet.forward(std::move(h), z_THWC, cache);
        if (block.upsampler) h = block.upsampler->forward(h);
    }
    const PixelAffine norm = m_normOut.over(h, z_THWC);
    return m_convOut.forward(h, cache,
                             {.normSilu = &norm, .input = InputAfterwards::Consumed, .residual_THWO = {}});
}

Activations Decoder::forwardBytes(const Activations& z, BatchMemory& memory) const {
    Activations h = m_midBlock.forwardBytes(m_convIn.forwardBytes(z, memory), memory);
    for (const UpBlock& block : m_upBlocks) {
        for (const ResidualBlock& resnet : block.resnets) h = resnet.forwardBytes(h, memory);
        if (block.upsampler) h = block.upsampler->forwardBytes(h, memory);
    }
    const std::int64_t bytes = memory.bytesOf(h), factors = m_normOut.overBytes(h, bytes, memory);
    m_convOut.forwardBytes(
        {.x = h, .xBytes = bytes, .isNormed = true, .isConsumed = true, .beside = {factors}}, memory);
    return h.with(m_convOut.outChannels());
}

}  // namespace reelgrid::vae::cogvideox
