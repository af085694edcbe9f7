#include "core/vae/cogvideox/encoder.h"

#include <utility>

namespace reelgrid::vae::cogvideox {

namespace {

ResidualBlock::Shape encoderBlockOf(const CogVideoXVaeConfig& config, std::int64_t in, std::int64_t out) {
    return {
        .in = in, .out = out, .norm = Norm::Of::Frames, .groups = config.normGroups, .eps = config.normEps};
}

}  // namespace

Encoder::Encoder(const LayerSource& source, const CogVideoXVaeConfig& config)
    : m_convIn(source / "conv_in", 3, config.blockChannels.front()),
      m_midBlock(source / "mid_block",
                 encoderBlockOf(config, config.blockChannels.back(), config.blockChannels.back())),
      m_normOut(source / "norm_out", Norm::Of::Frames,
                {.channels = config.blockChannels.back(), .groups = config.normGroups}),
      m_convOut(source / "conv_out", config.blockChannels.back(), 2 * config.zDim) {
    for (std::size_t level = 0; level < config.blockChannels.size(); ++level)
        m_downBlocks.push_back(makeDownBlock(source / "down_blocks" / std::int64_t(level), config, level));
}

Encoder::DownBlock Encoder::makeDownBlock(const LayerSource& source, const CogVideoXVaeConfig& config,
                                          std::size_t level) {
    const std::int64_t out = config.blockChannels[level];
    const std::int64_t in = level == 0 ? out : config.blockChannels[level - 1];
    DownBlock block;
    for (std::int64_t i = 0; i < config.layersPerBlock; ++i)
        block.resnets.emplace_back(source / "resnets" / i, encoderBlockOf(config, i == 0 ? in : out, out));
    if (level + 1 == config.blockChannels.size()) return block;
    block.downsampler.emplace(
        source / "downsamplers" / 0, out,
        std::int64_t(level) < config.timeLevels ? ResampleAxes::SpaceAndTime : ResampleAxes::Space);
    return block;
}

at::Tensor Encoder::forward(const at::Tensor& x_THWC, ConvCache& cache) const {
    at::Tensor h = m_convIn.forward(x_THWC, cache);
    for (const DownBlock& block : m_downBlocks) {
        for (const ResidualBlock& resnet : block.resnets) h = resnet.forward(std::move(h), {}, cache);
        if (block.downsampler) h = block.downsampler->forward(h);
    }
    h = m_midBlock.forward(std::move(h), {}, cache);
    const PixelAffine norm = m_normOut.over(h, {});
    return m_convOut.forward(h, cache,
                             {.normSilu = &norm, .input = InputAfterwards::Consumed, .residual_THWO = {}});
}

Activations Encoder::forwardBytes(const Activations& x, BatchMemory& memory) const {
    Activations h = m_convIn.forwardBytes(x, memory);
    for (const DownBlock& block : m_downBlocks) {
        for (const ResidualBlock& resnet : block.resnets) h = resnet.forwardBytes(h, memory);
        if (block.downsampler) h = block.downsampler->forwardBytes(h, memory);
    }
    h = m_midBlock.forwardBytes(h, memory);
    const std::int64_t bytes = memory.bytesOf(h), factors = m_normOut.overBytes(h, bytes, memory);
    m_convOut.forwardBytes(
        {.x = h, .xBytes = bytes, .isNormed = true, .isConsumed = true, .beside = {factors}}, memory);
    return h.with(m_convOut.outChannels());
}

}  // namespace reelgrid::vae::cogvideox
