#include "core/vae/wan21/wan_vae.h"

#include <algorithm>

#include "core/vae/wan21/resample_shortcut.h"
#include "core/vae/wan21/scaled_stream.h"

namespace reelgrid::vae::wan21 {

namespace {

// On a CPU about a last-level cache: larger chunks measured slower, smaller ones repeat more of the history.
// On a GPU enough to fill it.
constexpr std::int64_t kChunkBytes = std::int64_t{32} << 20;
constexpr std::int64_t kGpuChunkBytes = std::int64_t{320} << 20;

at::Tensor perChannel(const std::vector<double>& values, at::Device device) {
    return at::tensor(values, at::kDouble)
        .to(at::kFloat)
        .reshape({std::int64_t(values.size()), 1, 1, 1})
        .to(device);
}

}  // namespace

WanVae::WanVae(const weights::WeightScope& scope, WanVaeConfig config, WanVaeOptions options)
    : m_config(std::move(config)),
      m_options(options),
      m_tensorOptions(at::TensorOptions().dtype(scope.dtype()).device(scope.device())),
      m_latentsMean(perChannel(m_config.latentsMean, scope.device())),
      m_latentsStd(perChannel(m_config.latentsStd, scope.device())) {
    ScaledStream scaled(scope.source());
    const LayerSource source{scope.dtype() == at::kHalf ? scope.over(scaled) : scope, options.engine};
    const std::int64_t z = m_config.zDim;
    if (options.parts != VaeParts::Decoder) {
        m_encoding.emplace(
            EncodingLayers{Encoder(source / "encoder", m_config),
                           PointConv(source / "quant_conv", 2 * z, 2 * z, PointConv::Of::Video)});
    }
    if (options.parts != VaeParts::Encoder) {
        m_decoding.emplace(DecodingLayers{PointConv(source / "post_quant_conv", z, z, PointConv::Of::Video),
                                          Decoder(source / "decoder", m_config)});
    }
}

void WanVae::requireClip(const at::Tensor& x_CTHW) const {
    if (!m_encoding || m_isDescription)
        throw Failure(ErrorCode::Internal, "the VAE was loaded without its encoder");
    const std::int64_t step = m_config.temporalFactor(), edge = m_config.spatialFactor();
    if (x_CTHW.dim() != 4 || x_CTHW.size(0) != 3 || x_CTHW.numel() == 0 || (x_CTHW.size(1) - 1) % step != 0 ||
        x_CTHW.size(2) % edge != 0 || x_CTHW.size(3) % edge != 0)
        refuseShape("a clip to encode", x_CTHW,
                    c10::str("[3, 1 + ", step, "n, H, W] with H and W multiples of ", edge));
}

void WanVae::requireLatents(const at::Tensor& z_CTHW) const {
    if (!m_decoding || m_isDescription)
        throw Failure(ErrorCode::Internal, "the VAE was loaded without its decoder");
    if (z_CTHW.dim() != 4 || z_CTHW.size(0) != m_config.zDim || z_CTHW.numel() == 0)
        refuseShape("latents to decode", z_CTHW, c10::str("[", m_config.zDim, ", T, H, W]"));
}

at::Tensor WanVae::momentsOf(const at::Tensor& x_CTHW, const FrameCount& done, std::stop_token stop) const {
    FeatureCache cache(std::move(stop));
    std::vector<at::Tensor> chunks;
    const std::int64_t frames = x_CTHW.size(1);
    for (std::int64_t first = 0; first < frames;) {
        const std::int64_t count = first == 0 ? 1 : m_config.temporalFactor();
        const at::Tensor x_THWC =
            x_CTHW.narrow(1, first, count).permute({1, 2, 3, 0}).to(m_tensorOptions).contiguous();
        cache.beginChunk();
        chunks.push_back(m_encoding->quantConv.forward(
            m_encoding->encoder.forward(patchesOf(x_THWC, m_config.patchSize), cache)));
        first += count;
        done(first);
    }
    return at::cat(chunks, 0).to(at::kFloat);
}

LatentMoments WanVae::encode(const at::Tensor& x_CTHW, const FrameProgress& progress,
                             std::stop_token stop) const {
    requireClip(x_CTHW);
    const auto report = [&](std::int64_t done) {
        if (progress) progress(done, x_CTHW.size(1));
    };
    return momentsFrom(momentsOf(x_CTHW, report, std::move(stop)));
}

LatentMoments WanVae::encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
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

std::int64_t WanVae::latentFramesOfChunk(std::int64_t rows, std::int64_t columns) const {
    if (m_options.latentFramesPerChunk > 0) return m_options.latentFramesPerChunk;
    const std::int64_t edge = m_config.spatialFactor() / m_config.patchSize;  // of the largest activation
    const std::int64_t frameBytes = rows * edge * columns * edge * m_config.decoderBaseDim *
                                    m_config.dimMult.front() *
                                    std::int64_t(m_tensorOptions.dtype().itemsize());
    const std::int64_t most = m_tensorOptions.device().is_cpu() ? kChunkBytes : kGpuChunkBytes;
    return std::max<std::int64_t>(1, most / (frameBytes * m_config.temporalFactor()));
}

void WanVae::decodeChunks(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop) const {
    const at::Tensor z_THWC =
        m_decoding->postQuantConv.forward(z_CTHW.permute({1, 2, 3, 0}).to(m_tensorOptions).contiguous());
    FeatureCache cache(std::move(stop), m_options.partSeconds);
    const std::int64_t frames = z_THWC.size(0), chunk = latentFramesOfChunk(z_CTHW.size(2), z_CTHW.size(3));
    for (std::int64_t first = 0; first < frames;) {
        const std::int64_t count = first == 0 ? 1 : std::min(chunk, frames - first);
        cache.beginChunk();
        const at::Tensor patches_THWC = m_decoding->decoder.forward(z_THWC.narrow(0, first, count), cache);
        sink(pixelsOf(patches_THWC, m_config.patchSize).to(at::kFloat));
        first += count;
    }
}

void WanVae::decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop) const {
    requireLatents(z_CTHW);
    decodeChunks(
        z_CTHW, [&](const at::Tensor& frames_THWC) { sink(frames_THWC.clamp(-1, 1).contiguous()); },
        std::move(stop));
}

at::Tensor WanVae::decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling, const FrameProgress& progress,
                               std::stop_token stop) const {
    requireLatents(z_CTHW);
    const std::int64_t edge = m_config.spatialFactor(), frames = frameCount(z_CTHW.size(1));
    TileGrid grid(z_CTHW.size(2), z_CTHW.size(3), tiling, edge);
    grid.fadeStep = m_config.patchSize;
    const auto decode = [&](const TileSpan& rows, const TileSpan& columns, const TileFrameSink& sink) {
        decodeChunks(z_CTHW.narrow(2, rows.begin, rows.length).narrow(3, columns.begin, columns.length), sink,
                     stop);
    };
    return joinDecodedTiles(grid, edge, frames, decode, progress).clamp_(-1, 1);
}

at::Tensor WanVae::normalised(const at::Tensor& z_CTHW) const {
    return (z_CTHW.to(at::kFloat) - m_latentsMean) / m_latentsStd;
}

at::Tensor WanVae::denormalised(const at::Tensor& z_CTHW) const {
    return z_CTHW.to(at::kFloat) * m_latentsStd + m_latentsMean;
}

}  // namespace reelgrid::vae::wan21
