#include "core/vae/svd/svd_vae.h"

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::vae::svd {
namespace {

at::Tensor framesFirst(const at::Tensor& x_CTHW, const at::TensorOptions& options) {
    return x_CTHW.to(options).permute({1, 2, 3, 0}).contiguous();
}

/// fp16's range is too small for the encoder.
weights::WeightScope encoderScope(const weights::WeightScope& scope, const SvdVaeConfig& config) {
    if (!config.forceUpcast || scope.dtype() != at::kHalf) return scope;
    return {scope.source(), at::kFloat, scope.device()};
}

at::TensorOptions optionsOf(const weights::WeightScope& scope) {
    return at::TensorOptions().dtype(scope.dtype()).device(scope.device());
}

}  // namespace

SvdVae::SvdVae(const weights::WeightScope& scope, SvdVaeConfig config, SvdVaeOptions options)
    : m_config(std::move(config)), m_parts(options.parts), m_tensorOptions(optionsOf(scope)) {
    const weights::WeightScope encoding = encoderScope(scope, m_config);
    m_encoderOptions = optionsOf(encoding);
    if (m_parts != VaeParts::Decoder)
        m_encoder.emplace(LayerSource{encoding, options.engine}, m_config.image);
    if (m_parts != VaeParts::Encoder) m_decoder.emplace(LayerSource{scope, options.engine}, m_config);
}

VaeShape SvdVae::shape() const {
    return {.zDim = m_config.image.latentChannels,
            .spatialFactor = m_config.image.spatialFactor(),
            .temporalFactor = 1,
            .frameStep = 1};
}

void SvdVae::requireClip(const at::Tensor& x_CTHW) const {
    if (!m_encoder || m_isDescription)
        throw Failure(ErrorCode::Internal, "the autoencoder was loaded without its encoder");
    const std::int64_t s = m_config.image.spatialFactor();
    if (x_CTHW.dim() != 4 || x_CTHW.numel() == 0 || x_CTHW.size(0) != 3 || x_CTHW.size(2) % s != 0 ||
        x_CTHW.size(3) % s != 0)
        refuseShape("a clip to encode", x_CTHW,
                    "[3, frames, height, width] in multiples of " + std::to_string(s));
}

void SvdVae::requireLatents(const at::Tensor& z_CTHW) const {
    if (!m_decoder || m_isDescription)
        throw Failure(ErrorCode::Internal, "the autoencoder was loaded without its decoder");
    if (z_CTHW.dim() != 4 || z_CTHW.numel() == 0 || z_CTHW.size(0) != m_config.image.latentChannels)
        refuseShape("latents to decode", z_CTHW,
                    "[" + std::to_string(m_config.image.latentChannels) + ", frames, height, width]");
}

at::Tensor SvdVae::momentsOf(const at::Tensor& x_CTHW, const FrameProgress& progress,
                             const std::stop_token& stop) const {
    std::vector<at::Tensor> moments_THWC;
    const std::int64_t frames = x_CTHW.size(1);
    for (std::int64_t frame = 0; frame < frames; ++frame) {
        const at::Tensor x_1HWC = framesFirst(x_CTHW.narrow(1, frame, 1), m_encoderOptions);
        moments_THWC.push_back(m_encoder->forward(x_1HWC, stop).to(at::kFloat));
        if (progress) progress(frame + 1, frames);
    }
    return at::cat(moments_THWC);
}

at::Tensor SvdVae::framesOf(const at::Tensor& z_CTHW, const std::stop_token& stop) const {
    return m_decoder->forward(framesFirst(z_CTHW, m_tensorOptions), stop).to(at::kFloat);
}

LatentMoments SvdVae::encode(const at::Tensor& x_CTHW, const FrameProgress& progress,
                             std::stop_token stop) const {
    requireClip(x_CTHW);
    return momentsFrom(momentsOf(x_CTHW, progress, stop));
}

void SvdVae::decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop) const {
    requireLatents(z_CTHW);
    sink(framesOf(z_CTHW, stop).clamp_(-1, 1).contiguous());
}

LatentMoments SvdVae::encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
                                  const FrameProgress& progress, std::stop_token stop) const {
    requireClip(x_CTHW);
    const std::int64_t s = m_config.image.spatialFactor();
    const TileGrid grid(x_CTHW.size(2) / s, x_CTHW.size(3) / s, tiling, s);
    std::int64_t done = 0;
    const auto count = [&](std::int64_t, std::int64_t) {
        if (progress) progress(++done, x_CTHW.size(1) * grid.count());
    };
    return momentsFrom(joinTiles(grid, 1, [&](const TileSpan& rows, const TileSpan& columns) {
        return momentsOf(x_CTHW.narrow(2, rows.begin * s, rows.length * s)
                             .narrow(3, columns.begin * s, columns.length * s),
                         count, stop);
    }));
}

at::Tensor SvdVae::decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling, const FrameProgress& progress,
                               std::stop_token stop) const {
    requireLatents(z_CTHW);
    const std::int64_t s = m_config.image.spatialFactor();
    const TileGrid grid(z_CTHW.size(2), z_CTHW.size(3), tiling, s);
    std::int64_t done = 0;
    const at::Tensor frames_THWC = joinTiles(grid, s, [&](const TileSpan& rows, const TileSpan& columns) {
        at::Tensor tile_THWC = framesOf(
            z_CTHW.narrow(2, rows.begin, rows.length).narrow(3, columns.begin, columns.length), stop);
        if (progress) progress(++done, grid.count());
        return tile_THWC;
    });
    return frames_THWC.clamp(-1, 1);
}

}  // namespace reelgrid::vae::svd
