#include "core/vae/image/image_vae.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::vae::image {
namespace {

at::Tensor channelsLast(const at::Tensor& x_CTHW, const at::TensorOptions& options) {
    return x_CTHW.to(options).permute({1, 2, 3, 0}).contiguous();
}

}  // namespace

ImageVae::ImageVae(const weights::WeightScope& scope, ImageVaeConfig config, ImageVaeOptions options)
    : m_config(std::move(config)),
      m_options(options),
      m_tensorOptions(at::TensorOptions().dtype(scope.dtype()).device(scope.device())) {
    const LayerSource source{scope, options.engine};
    if (options.parts != VaeParts::Decoder) m_encoder.emplace(source, m_config);
    if (options.parts != VaeParts::Encoder) m_decoder.emplace(source, m_config);
}

VaeShape ImageVae::shape() const {
    return {m_config.latentChannels, m_config.spatialFactor(), 1, 1};
}

void ImageVae::requireFrames(const at::Tensor& x_CTHW) const {
    if (!m_encoder || m_isDescription)
        throw Failure(ErrorCode::Internal, "the autoencoder was loaded without its encoder");
    const std::int64_t s = m_config.spatialFactor();
    if (x_CTHW.dim() != 4 || x_CTHW.numel() == 0 || x_CTHW.size(0) != 3 || x_CTHW.size(2) % s != 0 ||
        x_CTHW.size(3) % s != 0)
        refuseShape("a clip to encode", x_CTHW, c10::str("[3, T, H, W] with H and W multiples of ", s));
}

void ImageVae::requireLatents(const at::Tensor& z_CTHW) const {
    if (!m_decoder || m_isDescription)
        throw Failure(ErrorCode::Internal, "the autoencoder was loaded without its decoder");
    if (z_CTHW.dim() != 4 || z_CTHW.numel() == 0 || z_CTHW.size(0) != m_config.latentChannels)
        refuseShape("latents to decode", z_CTHW, c10::str("[", m_config.latentChannels, ", T, H, W]"));
}

at::Tensor ImageVae::momentsOf(const at::Tensor& x_CTHW, const std::stop_token& stop) const {
    return m_encoder->forward(channelsLast(x_CTHW, m_tensorOptions), stop).to(at::kFloat);
}

at::Tensor ImageVae::framesOf(const at::Tensor& z_CTHW, const std::stop_token& stop) const {
    return m_decoder->forward(channelsLast(z_CTHW, m_tensorOptions), stop).to(at::kFloat);
}

std::int64_t ImageVae::together(std::int64_t frames) const {
    return std::min(frames, std::max<std::int64_t>(1, m_options.framesTogether));
}

void ImageVae::inParts(const at::Tensor& in_CTHW, const Part& part) const {
    const std::int64_t frames = in_CTHW.size(1), most = together(frames);
    for (std::int64_t first = 0; first < frames; first += most)
        part(in_CTHW.narrow(1, first, std::min(most, frames - first)));
}

LatentMoments ImageVae::encode(const at::Tensor& x_CTHW, const FrameProgress& progress,
                               std::stop_token stop) const {
    requireFrames(x_CTHW);
    std::vector<at::Tensor> moments_THWC;
    std::int64_t done = 0;
    inParts(x_CTHW, [&](const at::Tensor& some_CTHW) {
        moments_THWC.push_back(momentsOf(some_CTHW, stop));
        if (progress) progress(done += some_CTHW.size(1), x_CTHW.size(1));
    });
    return momentsFrom(at::cat(moments_THWC));
}

void ImageVae::decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop) const {
    requireLatents(z_CTHW);
    inParts(z_CTHW,
            [&](const at::Tensor& some_CTHW) { sink(framesOf(some_CTHW, stop).clamp_(-1, 1).contiguous()); });
}

LatentMoments ImageVae::encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
                                    const FrameProgress& progress, std::stop_token stop) const {
    requireFrames(x_CTHW);
    const std::int64_t s = m_config.spatialFactor();
    const TileGrid grid(x_CTHW.size(2) / s, x_CTHW.size(3) / s, tiling, s);
    std::vector<at::Tensor> moments_THWC;
    std::int64_t done = 0;
    inParts(x_CTHW, [&](const at::Tensor& some_CTHW) {
        moments_THWC.push_back(joinTiles(grid, 1, [&](const TileSpan& rows, const TileSpan& columns) {
            return momentsOf(some_CTHW.narrow(2, rows.begin * s, rows.length * s)
                                 .narrow(3, columns.begin * s, columns.length * s),
                             stop);
        }));
        if (progress) progress(done += some_CTHW.size(1), x_CTHW.size(1));
    });
    return momentsFrom(at::cat(moments_THWC));
}

at::Tensor ImageVae::decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                 const FrameProgress& progress, std::stop_token stop) const {
    requireLatents(z_CTHW);
    const std::int64_t s = m_config.spatialFactor();
    const TileGrid grid(z_CTHW.size(2), z_CTHW.size(3), tiling, s);
    const at::Tensor frames_THWC = at::empty({z_CTHW.size(1), s * z_CTHW.size(2), s * z_CTHW.size(3), 3},
                                             m_tensorOptions.dtype(at::kFloat));
    std::int64_t done = 0;
    inParts(z_CTHW, [&](const at::Tensor& some_CTHW) {
        const at::Tensor joined_THWC = joinTiles(grid, s, [&](const TileSpan& rows, const TileSpan& columns) {
            return framesOf(
                some_CTHW.narrow(2, rows.begin, rows.length).narrow(3, columns.begin, columns.length), stop);
        });
        frames_THWC.narrow(0, done, some_CTHW.size(1)).copy_(joined_THWC);
        done += some_CTHW.size(1);
        if (progress) progress(done, z_CTHW.size(1));
    });
    return frames_THWC.clamp_(-1, 1);
}

}  // namespace reelgrid::vae::image
