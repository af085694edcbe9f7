#include "core/vae/svd/temporal_decoder.h"

#include "core/base/result.h"

namespace reelgrid::vae::svd {
namespace {

constexpr double kTemporalNormEps = 1e-5, kOutNormEps = 1e-6;
constexpr std::int64_t kRgb = 3;

void endWhenAsked(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "cancelled");
}

}  // namespace

TemporalDecoder::VideoResidual::VideoResidual(const LayerSource& source, std::int64_t in, std::int64_t out)
    : still(source / "spatial_res_block", in, out, image::ImageVaeConfig{}.normGroups),
      moving(source / "temporal_res_block", out, kTemporalNormEps,
             TimeShare::load((source / "time_mixer").weights, TimeShare::Of::Time)) {}

TemporalDecoder::TemporalDecoder(const LayerSource& whole, const SvdVaeConfig& config)
    : m_innermost(config.image.blockChannels.back()),
      m_conv_in(whole / "decoder" / "conv_in", config.image.latentChannels,
                config.image.blockChannels.back()),
      m_mid_first(whole / "decoder" / "mid_block" / "resnets" / 0, config.image.blockChannels.back(),
                  config.image.blockChannels.back()),
      m_conv_norm_out(whole / "decoder" / "conv_norm_out", config.image.blockChannels.front(),
                      config.image.normGroups, kOutNormEps),
      m_conv_out(whole / "decoder" / "conv_out", config.image.blockChannels.front(), kRgb),
      m_time_conv_out(whole / "decoder" / "time_conv_out", kRgb, kRgb) {
    const std::vector<std::int64_t>& channels = config.image.blockChannels;
    if (config.image.layersPerBlock > 1) {
        const LayerSource mid = whole / "decoder" / "mid_block";
        m_mid_attention.emplace(mid / "attentions" / 0, channels.back(), config.image.normGroups);
        m_mid_last.emplace(mid / "resnets" / 1, channels.back(), channels.back());
    }
    std::int64_t in = channels.back();
    for (std::size_t i = 0; i < channels.size(); ++i) {
        const LayerSource block = whole / "decoder" / "up_blocks" / std::int64_t(i);
        const std::int64_t out = channels[channels.size() - 1 - i];
        Level& level = m_up_blocks.emplace_back();
        for (std::int64_t j = 0; j <= config.image.layersPerBlock; ++j, in = out)
            level.resnets.emplace_back(block / "resnets" / j, in, out);
        if (i + 1 < channels.size()) level.upsampler.emplace(block / "upsamplers" / 0 / "conv", out, out);
    }
}

at::Tensor TemporalDecoder::forward(const at::Tensor& z_THWC, const std::stop_token& stop) const {
    endWhenAsked(stop);
    at::Tensor y_THWC = m_mid_first.forward(m_conv_in.forward(z_THWC));
    if (m_mid_attention) y_THWC = m_mid_last->forward(m_mid_attention->forward(y_THWC));
    for (const Level& level : m_up_blocks) {
        for (const VideoResidual& resnet : level.resnets) {
            endWhenAsked(stop);
            y_THWC = resnet.forward(y_THWC);
        }
        if (level.upsampler) y_THWC = level.upsampler->forwardDoubled(y_THWC);
    }
    endWhenAsked(stop);
    y_THWC = m_conv_norm_out.forwardSilu(y_THWC);
    return m_time_conv_out.forward(m_conv_out.forward(y_THWC));
}

Activations TemporalDecoder::VideoResidual::forwardBytes(const Activations& x, PictureMemory& memory) const {
    const Activations y = still.forwardBytes(x, memory);
    TemporalResidual::forwardBytes(y, memory.bytesOf(x), memory);
    return y;
}

void TemporalDecoder::forwardBytes(const Activations& z, PictureMemory& memory) const {
    Activations y = z.with(m_innermost);
    memory.noteConv({memory.bytesOf(z), memory.bytesOf(y)}, z, y);
    y = m_mid_first.forwardBytes(y, memory);
    if (m_mid_attention) {
        m_mid_attention->forwardBytes(y, memory);
        y = m_mid_last->forwardBytes(y, memory);
    }
    for (const Level& level : m_up_blocks) {
        for (const VideoResidual& resnet : level.resnets) y = resnet.forwardBytes(y, memory);
        if (level.upsampler) y = memory.noteDoublingConv(y);
    }
    memory.noteNormSilu(y);
    const Activations colors = y.with(kRgb);
    memory.noteConv({memory.bytesOf(y), memory.bytesOf(y), memory.bytesOf(colors)}, y, colors);
    // In fp32, and cut to the range of colours.
    const std::int64_t frames = colors.values() * std::int64_t(sizeof(float));
    memory.note({memory.bytesOf(colors), memory.bytesOf(colors), frames, frames});
}

}  // namespace reelgrid::vae::svd
