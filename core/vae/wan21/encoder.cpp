#include "core/vae/wan21/encoder.h"

namespace reelgrid::vae::wan21 {

namespace {

std::int64_t channelsBefore(const WanVaeConfig& config, std::size_t level) {
    return config.baseDim * (level == 0 ? 1 : config.dimMult[level - 1]);
}

LevelFactors factorsOf(const WanVaeConfig& config, std::size_t level) {
    if (level + 1 == config.dimMult.size()) return {1, 1};
    return {config.temporalDownsample[level] ? 2 : 1, 2};
}

}  // namespace

Encoder::DownLevel::DownLevel(const LayerSource& source, const WanVaeConfig& config, std::size_t level)
    : shortcut(channelsBefore(config, level), config.baseDim * config.dimMult[level],
               factorsOf(config, level)) {
    const std::int64_t in = channelsBefore(config, level), wide = config.baseDim * config.dimMult[level];
    for (std::int64_t block = 0; block < config.numResBlocks; ++block)
        resnets.emplace_back(source / "resnets" / block, block == 0 ? in : wide, wide);
    const LevelFactors factors = factorsOf(config, level);
    if (factors.space > 1)
        downsampler.emplace(source / "downsampler", wide,
                            factors.time > 1 ? ResampleAxes::SpaceAndTime : ResampleAxes::Space);
}

at::Tensor Encoder::DownLevel::forward(const at::Tensor& x_THWC, FeatureCache& cache) const {
    // First: the blocks may take the memory of what they are given.
    const at::Tensor around_THWC = shortcut.forward(x_THWC);
    at::Tensor h = x_THWC;
    for (const ResidualBlock& resnet : resnets) h = resnet.forward(h, cache);
    if (downsampler) h = downsampler->forward(h, cache);
    return h + around_THWC;
}

Activations Encoder::DownLevel::forwardBytes(const Activations& x, ChunkMemory& memory) const {
    // Around the level goes what it halves: less than what it begins with.
    memory.hold(x);
    Activations h = x;
    for (const ResidualBlock& resnet : resnets) h = resnet.forwardBytes(h, memory);
    if (downsampler) h = downsampler->forwardBytes(h, memory);
    memory.release(x);
    return h;
}

Encoder::Encoder(const LayerSource& source, const WanVaeConfig& config)
    : Encoder(source, config, config.baseDim * config.dimMult.back()) {}

Encoder::Encoder(const LayerSource& source, const WanVaeConfig& config, std::int64_t narrowestChannels)
    : m_convIn(source / "conv_in", config.pictureChannels(), config.baseDim),
      m_midBlock(source / "mid_block", narrowestChannels),
      m_normOut(source / "norm_out", narrowestChannels, RmsNorm::Of::Video),
      m_convOut(source / "conv_out", narrowestChannels, 2 * config.zDim) {
    const LayerSource down = source / "down_blocks";
    std::int64_t channels = config.baseDim;
    const auto index = [&] { return std::int64_t(m_downBlocks.size()); };
    for (std::size_t level = 0; level < config.dimMult.size(); ++level) {
        if (config.isResidual) {
            m_downBlocks.emplace_back(DownLevel(down / index(), config, level));
            continue;
        }
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

void Encoder::forwardBytes(const Activations& x, ChunkMemory& memory) const {
    Activations h = m_convIn.forwardBytes(x, memory);
    for (const auto& layer : m_downBlocks)
        h = std::visit([&](const auto& block) { return block.forwardBytes(h, memory); }, layer);
    m_convOut.forwardBytes(m_midBlock.forwardBytes(h, memory), memory);
}

}  // namespace reelgrid::vae::wan21
