#include "core/vae/cogvideox/cogvideox_vae.h"

#include "core/vae/cogvideox/frame_batches.h"

namespace reelgrid::vae::cogvideox {

CogVideoXVae::CogVideoXVae(const weights::WeightScope& scope, CogVideoXVaeConfig config,
                           CogVideoXVaeOptions options)
    : m_config(std::move(config)),
      m_parts(options.parts),
      m_tensorOptions(at::TensorOptions().dtype(scope.dtype()).device(scope.device())) {
    const LayerSource source{scope, options.engine};
    if (options.parts != VaeParts::Decoder) m_encoder.emplace(source / "encoder", m_config);
    if (options.parts != VaeParts::Encoder) m_decoder.emplace(source / "decoder", m_config);
}

VaeShape CogVideoXVae::shape() const {
    // An odd number of latent frames is decoded to as many frames as were encoded.
    return {m_config.zDim, m_config.spatialFactor(), m_config.temporalFactor(),
            2 * m_config.temporalFactor()};
}

void CogVideoXVae::requireClip(const at::Tensor& x_CTHW) const {
    if (!m_encoder || m_isDescription)
        throw Failure(ErrorCode::Internal, "the VAE was loaded without its encoder");
    const std::int64_t edge = m_config.spatialFactor();
    if (x_CTHW.dim() != 4 || x_CTHW.size(0) != 3 || x_CTHW.numel() == 0 || x_CTHW.size(2) % edge != 0 ||
        x_CTHW.size(3) % edge != 0)
        refuseShape("a clip to encode", x_CTHW, c10::str("[3, T, H, W] with H and W multiples of ", edge));
}

void CogVideoXVae::requireLatents(const at::Tensor& z_CTHW) const {
    if (!m_decoder || m_isDescription)
        throw Failure(ErrorCode::Internal, "the VAE was loaded without its decoder");
    if (z_CTHW.dim() != 4 || z_CTHW.size(0) != m_config.zDim || z_CTHW.numel() == 0)
        refuseShape("latents to decode", z_CTHW, c10::str("[", m_config.zDim, ", T, H, W]"));
}

at::Tensor CogVideoXVae::momentsOf(const at::Tensor& x_CTHW, const FrameCount& done,
                                   std::stop_token stop) const {
    ConvCache cache(std::move(stop));
    std::vector<at::Tensor> batches;
    for (const FrameBatch& batch : frameBatches(x_CTHW.size(1), kFramesOfBatch)) {
        const at::Tensor x_THWC =
            x_CTHW.narrow(1, batch.first, batch.count).permute({1, 2, 3, 0}).to(m_tensorOptions).contiguous();
        cache.beginBatch();
        batches.push_back(m_encoder->forward(x_THWC, cache));
        done(batch.first + batch.count);
    }
    return at::cat(batches, 0).to(at::kFloat);
}

LatentMoments CogVideoXVae::encode(const at::Tensor& x_CTHW, const FrameProgress& progress,
                                   std::stop_token stop) const {
    requireClip(x_CTHW);
    const auto report = [&](std::int64_t done) {
        if (progress) progress(done, x_CTHW.size(1));
    };
    return momentsFrom(momentsOf(x_CTHW, report, std::move(stop)));
}

LatentMoments CogVideoXVae::encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
                                        const FrameProgress& progress, std::stop_token stop) const {
    requireClip(x_CTHW);
    const std::int64_t edge = m_config.spatialFactor(), frames = x_CTHW.size(1);
    const TileGrid grid(x_CTHW.size(2) / edge, x_CTHW.size(3) / edge, tiling, edge);
    std::int64_t tilesDone = 0;
    const auto report = [&](std::int64_t done) {
        if (progress) progress(tilesDone * frames + done, grid.count() * frames);
    };
    const auto make = [&](const TileSpan& rows, const TileSpan& columns) {
        const at::Tensor window_CTHW = x_CTHW.narrow(2, rows.begin * edge, rows.length * edge)
                                           .narrow(3, columns.begin * edge, columns.length * edge);
        at::Tensor made = momentsOf(window_CTHW, report, stop);
        ++tilesDone;
        return made;
    };
    return momentsFrom(joinTiles(grid, 1, make));
}

void CogVideoXVae::decodeBatches(const at::Tensor& z_CTHW, const FrameSink& sink,
                                 std::stop_token stop) const {
    const at::Tensor z_THWC = z_CTHW.permute({1, 2, 3, 0}).to(m_tensorOptions).contiguous();
    ConvCache cache(std::move(stop));
    for (const FrameBatch& batch : frameBatches(z_THWC.size(0), kLatentFramesOfBatch)) {
        cache.beginBatch();
        sink(m_decoder->forward(z_THWC.narrow(0, batch.first, batch.count), cache).to(at::kFloat));
    }
}

void CogVideoXVae::decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop) const {
    requireLatents(z_CTHW);
    decodeBatches(
        z_CTHW, [&](const at::Tensor& frames_THWC) { sink(frames_THWC.clamp(-1, 1).contiguous()); },
        std::move(stop));
}

at::Tensor CogVideoXVae::decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                     const FrameProgress& progress, std::stop_token stop) const {
    requireLatents(z_CTHW);
    const std::int64_t edge = m_config.spatialFactor(), frames = m_config.frameCount(z_CTHW.size(1));
    const TileGrid grid(z_CTHW.size(2), z_CTHW.size(3), tiling, edge);
    const auto decode = [&](const TileSpan& rows, const TileSpan& columns, const TileFrameSink& sink) {
        decodeBatches(z_CTHW.narrow(2, rows.begin, rows.length).narrow(3, columns.begin, columns.length),
                      sink, stop);
    };
    return joinDecodedTiles(grid, edge, frames, decode, progress).clamp_(-1, 1);
}

}  // namespace reelgrid::vae::cogvideox
