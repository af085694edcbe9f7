#include "core/vae/wan21/decoder.h"

namespace reelgrid::vae::wan21 {

Decoder::Decoder(const LayerSource& source, const WanVaeConfig& config)
    : m_convIn(source / "conv_in", config.zDim, config.decoderBaseDim * config.dimMult.back()),
      m_midBlock(source / "mid_block", config.decoderBaseDim * config.dimMult.back()),
      m_normOut(source / "norm_out", config.decoderBaseDim * config.dimMult.front(), RmsNorm::Of::Video),
      m_convOut(source / "conv_out", config.decoderBaseDim * config.dimMult.front(),
                config.pictureChannels()) {
    for (std::size_t up = 0; up < config.dimMult.size(); ++up)
        m_upBlocks.push_back(makeUpBlock(source / "up_blocks" / std::int64_t(up), config, up));
}

Decoder::UpBlock Decoder::makeUpBlock(const LayerSource& source, const WanVaeConfig& config, std::size_t up) {
    const std::size_t levels = config.dimMult.size(), level = levels - 1 - up;
    const bool isLast = level == 0;
    const std::int64_t wide = config.decoderBaseDim * config.dimMult[level];
    std::int64_t in = wide;
    if (up > 0) {
        const std::int64_t before = config.decoderBaseDim * config.dimMult[level + 1];
        in = config.isResidual ? before : before / 2;
    }
    UpBlock block;
    for (std::int64_t i = 0; i <= config.numResBlocks; ++i)
        block.resnets.emplace_back(source / "resnets" / i, i == 0 ? in : wide, wide);
    if (isLast) return block;
    const bool inTime = config.temporalDownsample[level - 1];
    const ResampleAxes axes = inTime ? ResampleAxes::SpaceAndTime : ResampleAxes::Space;
    if (config.isResidual) {
        block.upsampler.emplace(source / "upsampler", wide, wide, axes);
        block.shortcut.emplace(in, wide, LevelFactors{inTime ? 2 : 1, 2}, source.weights.device());
    } else {
        block.upsampler.emplace(source / "upsamplers" / 0, wide, wide / 2, axes);
    }
    return block;
}

at::Tensor Decoder::forwardUp(const UpBlock& block, const at::Tensor& x_THWC, FeatureCache& cache,
                              const std::string& name) {
    at::Tensor around_THWC;
    if (block.shortcut)
        around_THWC = block.shortcut->forward(
            x_THWC, cache.isFirstChunk() ? RepeatShortcut::Chunk::First : RepeatShortcut::Chunk::Later);
    at::Tensor h = x_THWC;
    for (const ResidualBlock& resnet : block.resnets) h = resnet.forward(h, cache);
    cache.endPart("up_blocks." + name);
    if (block.upsampler) h = block.upsampler->forward(h, cache);
    if (around_THWC.defined()) h = (h + around_THWC).contiguous();
    cache.endPart("upsampler." + name);
    return h;
}

at::Tensor Decoder::forward(const at::Tensor& z_THWC, FeatureCache& cache) const {
    at::Tensor h = m_midBlock.forward(m_convIn.forward(z_THWC, cache), cache);
    cache.endPart("mid_block");
    for (std::size_t up = 0; up < m_upBlocks.size(); ++up)
        h = forwardUp(m_upBlocks[up], h, cache, std::to_string(up));
    h = m_convOut.forward(h, cache, {.normSilu = &m_normOut, .residual_THWO = {}});
    cache.endPart("conv_out");
    return h;
}

Activations Decoder::upBytes(const UpBlock& block, const Activations& x, ChunkMemory& memory) {
    Activations h = block.resnets.front().forwardBytes(x, memory);
    // Whoever called the level still has what it began with, unless that became the output.
    const bool isHeld = x.channels != h.channels;
    if (isHeld) memory.hold(x);
    for (std::size_t i = 1; i < block.resnets.size(); ++i) h = block.resnets[i].forwardBytes(h, memory);
    if (block.upsampler) {
        const Activations around = block.upsampler->outputOf(h, memory);
        if (block.shortcut) memory.hold(around);
        h = block.upsampler->forwardBytes(h, memory);
        if (block.shortcut) {
            memory.note({memory.bytesOf(h), memory.bytesOf(h)});
            memory.release(around);
        }
    }
    if (isHeld) memory.release(x);
    return h;
}

void Decoder::forwardBytes(const Activations& z, ChunkMemory& memory) const {
    Activations h = m_midBlock.forwardBytes(m_convIn.forwardBytes(z, memory), memory);
    for (const UpBlock& block : m_upBlocks) h = upBytes(block, h, memory);
    m_convOut.forwardBytes(h, memory);
}

}  // namespace reelgrid::vae::wan21
