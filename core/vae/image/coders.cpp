#include "core/vae/image/coders.h"

#include "core/base/result.h"

namespace reelgrid::vae::image {
namespace {

constexpr double kLastNormEps = 1e-6;

void stopWhenAsked(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "cancelled");
}

}  // namespace

Encoder::Encoder(const LayerSource& whole, const ImageVaeConfig& config)
    : m_first(config.blockChannels.front()),
      m_moments(2 * config.latentChannels),
      m_conv_in(whole / "encoder" / "conv_in", 3, config.blockChannels.front()),
      m_mid_block(whole / "encoder" / "mid_block", config.blockChannels.back(), config.normGroups),
      m_conv_norm_out(whole / "encoder" / "conv_norm_out", config.blockChannels.back(), config.normGroups,
                      kLastNormEps),
      m_conv_out(whole / "encoder" / "conv_out", config.blockChannels.back(), 2 * config.latentChannels) {
    std::int64_t in = config.blockChannels.front();
    for (std::size_t i = 0; i < config.blockChannels.size(); ++i) {
        const LayerSource block = whole / "encoder" / "down_blocks" / std::int64_t(i);
        const std::int64_t out = config.blockChannels[i];
        Level& level = m_down_blocks.emplace_back();
        for (std::int64_t j = 0; j < config.layersPerBlock; ++j, in = out)
            level.resnets.emplace_back(block / "resnets" / j, in, out, config.normGroups);
        if (i + 1 < config.blockChannels.size())
            level.downsampler.emplace(block / "downsamplers" / 0 / "conv", out,
                                      HalvingConv::Zeros::BelowAndRight);
    }
    if (config.quantConvs == QuantConvs::Both)
        m_quant_conv.emplace(whole / "quant_conv", 2 * config.latentChannels, 2 * config.latentChannels,
                             PointConv::Of::Image);
}

at::Tensor Encoder::forward(const at::Tensor& x_NHWC, const std::stop_token& stop) const {
    at::Tensor y_NHWC = m_conv_in.forward(x_NHWC);
    for (const Level& level : m_down_blocks) {
        for (const ResidualBlock& resnet : level.resnets) {
            stopWhenAsked(stop);
            y_NHWC = resnet.forward(y_NHWC);
        }
        if (level.downsampler) y_NHWC = level.downsampler->forward(y_NHWC);
    }
    stopWhenAsked(stop);
    y_NHWC = m_conv_out.forward(m_conv_norm_out.forwardSilu(m_mid_block.forward(y_NHWC)));
    return m_quant_conv ? m_quant_conv->forward(y_NHWC) : y_NHWC;
}

void Encoder::forwardBytes(const Activations& x, PictureMemory& memory) const {
    Activations y = x.with(m_first);
    memory.noteConv({memory.bytesOf(x), memory.bytesOf(y)}, x, y);
    for (const Level& level : m_down_blocks) {
        for (const ResidualBlock& resnet : level.resnets) y = resnet.forwardBytes(y, memory);
        if (!level.downsampler) continue;
        // Zeros around it are a copy.
        const Activations half{y.frames, y.rows / 2, y.columns / 2, y.channels};
        memory.note({memory.bytesOf(y), memory.bytesOf(y), memory.bytesOf(half)});
        memory.endSize(half);
        y = half;
    }
    y = m_mid_block.forwardBytes(y, memory);
    memory.noteNormSilu(y);
    const Activations moments = y.with(m_moments);
    memory.noteConv({memory.bytesOf(y), memory.bytesOf(y), memory.bytesOf(moments)}, y, moments);
}

Decoder::Decoder(const LayerSource& whole, const ImageVaeConfig& config)
    : m_innermost(config.blockChannels.back()),
      m_conv_in(whole / "decoder" / "conv_in", config.latentChannels, config.blockChannels.back()),
      m_mid_block(whole / "decoder" / "mid_block", config.blockChannels.back(), config.normGroups),
      m_conv_norm_out(whole / "decoder" / "conv_norm_out", config.blockChannels.front(), config.normGroups,
                      kLastNormEps),
      m_conv_out(whole / "decoder" / "conv_out", config.blockChannels.front(), 3) {
    const std::size_t levels = config.blockChannels.size();
    std::int64_t in = config.blockChannels.back();
    for (std::size_t i = 0; i < levels; ++i) {
        const LayerSource block = whole / "decoder" / "up_blocks" / std::int64_t(i);
        const std::int64_t out = config.blockChannels[levels - 1 - i];
        Level& level = m_up_blocks.emplace_back();
        for (std::int64_t j = 0; j <= config.layersPerBlock; ++j, in = out)
            level.resnets.emplace_back(block / "resnets" / j, in, out, config.normGroups);
        if (i + 1 < levels) level.upsampler.emplace(block / "upsamplers" / 0 / "conv", out, out);
    }
    if (config.quantConvs == QuantConvs::Both)
        m_post_quant_conv.emplace(whole / "post_quant_conv", config.latentChannels, config.latentChannels,
                                  PointConv::Of::Image);
}

at::Tensor Decoder::forward(const at::Tensor& z_NHWC, const std::stop_token& stop) const {
    const at::Tensor in_NHWC = m_post_quant_conv ? m_post_quant_conv->forward(z_NHWC) : z_NHWC;
    stopWhenAsked(stop);
    at::Tensor y_NHWC = m_mid_block.forward(m_conv_in.forward(in_NHWC));
    for (const Level& level : m_up_blocks) {
        for (const ResidualBlock& resnet : level.resnets) {
            stopWhenAsked(stop);
            y_NHWC = resnet.forward(y_NHWC);
        }
        if (level.upsampler) y_NHWC = level.upsampler->forwardDoubled(y_NHWC);
    }
    stopWhenAsked(stop);
    return m_conv_out.forward(m_conv_norm_out.forwardSilu(y_NHWC));
}

void Decoder::forwardBytes(const Activations& z, PictureMemory& memory) const {
    Activations y = z.with(m_innermost);
    memory.noteConv({2 * memory.bytesOf(z), memory.bytesOf(y)}, z, y);
    y = m_mid_block.forwardBytes(y, memory);
    for (const Level& level : m_up_blocks) {
        for (const ResidualBlock& resnet : level.resnets) y = resnet.forwardBytes(y, memory);
        if (level.upsampler) y = memory.noteDoublingConv(y);
    }
    memory.noteNormSilu(y);
    constexpr std::int64_t kColors = 3;
    const Activations colors = y.with(kColors);
    memory.noteConv({memory.bytesOf(y), memory.bytesOf(y), memory.bytesOf(colors)}, y, colors);
}

}  // namespace reelgrid::vae::image
