#include "core/vae/image/image_vae.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::vae::image {
namespace {

at::Tensor channelsLast(const at::Tensor& x_CTHW, const at::TensorOptions& options) {
    return x_CTHW.to(options).permute({1, 2, 3, 0}).contiguous();
}

LatentMoments momentsFrom(const std::vector<at::Tensor>& moments_THWC) {
    constexpr double kLeastLogvar = -30, kMostLogvar = 20;
    const auto halves = at::cat(moments_THWC).permute({3, 0, 1, 2}).chunk(2, 0);
    return {halves[0].contiguous(), halves[1].clamp(kLeastLogvar, kMostLogvar)};
}

}  // namespace

ImageVae::ImageVae(const weights::WeightScope& scope, ImageVaeConfig config, ImageVaeOptions options)
    : m_config(std::move(config)),
      m_options(options),
      m_tensorOptions(at::TensorOptions().dtype(scope.dtype()).device(scope.device())) {
    const LayerSource source{scope, options.engine};
    if (options.parts != ImageVaeParts::Decoder) m_encoder.emplace(source, m_config);
    if (options.parts != ImageVaeParts::Encoder) m_decoder.emplace(source, m_config);
}

void ImageVae::requireFrames(const at::Tensor& x_CTHW) const {
    if (!m_encoder) throw Failure(ErrorCode::Internal, "the autoencoder was loaded without its encoder");
    const std::int64_t s = m_config.spatialFactor();
    if (x_CTHW.dim() != 4 || x_CTHW.numel() == 0 || x_CTHW.size(0) != 3 || x_CTHW.size(2) % s != 0 ||
        x_CTHW.size(3) % s != 0)
        throw Failure(ErrorCode::InvalidData, "frames to encode are " + c10::str(x_CTHW.sizes()) +
                                                  ", [3, frames, height, width] in multiples of " +
                                                  std::to_string(s) + " was needed");
}

void ImageVae::requireLatents(const at::Tensor& z_CTHW) const {
    if (!m_decoder) throw Failure(ErrorCode::Internal, "the autoencoder was loaded without its decoder");
    if (z_CTHW.dim() != 4 || z_CTHW.numel() == 0 || z_CTHW.size(0) != m_config.latentChannels)
        throw Failure(ErrorCode::InvalidData, "latents to decode are " + c10::str(z_CTHW.sizes()) + ", [" +
                                                  std::to_string(m_config.latentChannels) +
                                                  ", frames, height, width] was needed");
}

at::Tensor ImageVae::momentsOf(const at::Tensor& x_CTHW, const std::stop_token& stop) const {
    return m_encoder->forward(channelsLast(x_CTHW, m_tensorOptions), stop).to(at::kFloat);
}

at::Tensor ImageVae::framesOf(const at::Tensor& z_CTHW, const std::stop_token& stop) const {
    return m_decoder->forward(channelsLast(z_CTHW, m_tensorOptions), stop).to(at::kFloat);
}

void ImageVae::inParts(const at::Tensor& in_CTHW, const Part& part) const {
    const std::int64_t frames = in_CTHW.size(1);
    const std::int64_t together = std::max<std::int64_t>(1, m_options.framesTogether);
    for (std::int64_t first = 0; first < frames; first += together)
        part(in_CTHW.narrow(1, first, std::min(together, frames - first)));
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
    return momentsFrom(moments_THWC);
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
    return momentsFrom(moments_THWC);
}

at::Tensor ImageVae::decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                 const FrameProgress& progress, std::stop_token stop) const {
    requireLatents(z_CTHW);
    const std::int64_t s = m_config.spatialFactor();
    const TileGrid grid(z_CTHW.size(2), z_CTHW.size(3), tiling, s);
    std::vector<at::Tensor> frames_THWC;
    std::int64_t done = 0;
    inParts(z_CTHW, [&](const at::Tensor& some_CTHW) {
        frames_THWC.push_back(joinTiles(grid, s, [&](const TileSpan& rows, const TileSpan& columns) {
            return framesOf(
                some_CTHW.narrow(2, rows.begin, rows.length).narrow(3, columns.begin, columns.length), stop);
        }));
        if (progress) progress(done += some_CTHW.size(1), z_CTHW.size(1));
    });
    return at::cat(frames_THWC).clamp_(-1, 1);
}

}  // namespace reelgrid::vae::image
