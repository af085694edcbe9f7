#include "core/vae/wan21/wan_vae.h"

#include <algorithm>
#include <sstream>

#include "core/vae/wan21/resample_shortcut.h"
#include "core/vae/wan21/scaled_stream.h"

namespace reelgrid::vae::wan21 {

namespace {

// On a CPU about a last-level cache: larger chunks measured slower, smaller ones repeat more of the history.
// On a GPU enough to fill it.
constexpr std::int64_t kChunkBytes = std::int64_t{32} << 20;
constexpr std::int64_t kGpuChunkBytes = std::int64_t{320} << 20;

template <class... Words>
[[noreturn]] void refuseShape(const char* what, const at::Tensor& x, const Words&... needed) {
    std::ostringstream text;
    text << what << " has shape " << x.sizes() << ", needed ";
    (text << ... << needed);
    throw Failure(ErrorCode::InvalidData, text.str());
}

at::Tensor perChannel(const std::vector<double>& values, at::Device device) {
    return at::tensor(values, at::kDouble)
        .to(at::kFloat)
        .reshape({1, std::int64_t(values.size()), 1, 1, 1})
        .to(device);
}

/// Of each clip [2z, T, H, W].
LatentMoments momentsFrom(const std::vector<at::Tensor>& clips) {
    const auto halves = at::stack(clips, 0).chunk(2, 1);
    return {halves[0].contiguous(), halves[1].clamp(-30.0, 20.0)};
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
    if (options.parts != WanVaeParts::Decoder) {
        m_encoding.emplace(
            EncodingLayers{Encoder(source / "encoder", m_config),
                           PointConv(source / "quant_conv", 2 * z, 2 * z, PointConv::Of::Video)});
    }
    if (options.parts != WanVaeParts::Encoder) {
        m_decoding.emplace(DecodingLayers{PointConv(source / "post_quant_conv", z, z, PointConv::Of::Video),
                                          Decoder(source / "decoder", m_config)});
    }
}

void WanVae::requireClip(const at::Tensor& x_BCTHW) const {
    if (!m_encoding) throw Failure(ErrorCode::Internal, "the VAE was loaded without its encoder");
    const std::int64_t step = m_config.temporalFactor(), edge = m_config.spatialFactor();
    if (x_BCTHW.dim() != 5 || x_BCTHW.size(1) != 3 || x_BCTHW.numel() == 0 ||
        (x_BCTHW.size(2) - 1) % step != 0 || x_BCTHW.size(3) % edge != 0 || x_BCTHW.size(4) % edge != 0) {
        refuseShape("a clip to encode", x_BCTHW, "[B, 3, 1 + ", step, "n, H, W] with H and W multiples of ",
                    edge);
    }
}

void WanVae::requireLatents(const at::Tensor& z_CTHW) const {
    if (!m_decoding) throw Failure(ErrorCode::Internal, "the VAE was loaded without its decoder");
    if (z_CTHW.dim() != 4 || z_CTHW.size(0) != m_config.zDim || z_CTHW.numel() == 0) {
        refuseShape("latents to decode", z_CTHW, "[", m_config.zDim, ", T, H, W]");
    }
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

LatentMoments WanVae::encode(const at::Tensor& x_BCTHW, const FrameProgress& progress,
                             std::stop_token stop) const {
    requireClip(x_BCTHW);
    const std::int64_t clips = x_BCTHW.size(0), frames = x_BCTHW.size(2);
    std::vector<at::Tensor> moments;
    for (std::int64_t clip = 0; clip < clips; ++clip) {
        const auto report = [&](std::int64_t done) {
            if (progress) progress(clip * frames + done, clips * frames);
        };
        moments.push_back(momentsOf(x_BCTHW.select(0, clip), report, stop).permute({3, 0, 1, 2}));
    }
    return momentsFrom(moments);
}

LatentMoments WanVae::encodeTiled(const at::Tensor& x_BCTHW, const Tiling& tiling,
                                  const FrameProgress& progress, std::stop_token stop) const {
    requireClip(x_BCTHW);
    const std::int64_t edge = m_config.spatialFactor();
    const TileGrid grid(x_BCTHW.size(3) / edge, x_BCTHW.size(4) / edge, tiling, edge);
    const std::int64_t clips = x_BCTHW.size(0), frames = x_BCTHW.size(2);
    std::int64_t tilesDone = 0;
    const auto report = [&](std::int64_t done) {
        if (progress) progress(tilesDone * frames + done, clips * grid.count() * frames);
    };
    std::vector<at::Tensor> moments;
    for (std::int64_t clip = 0; clip < clips; ++clip) {
        const auto make = [&](const TileSpan& rows, const TileSpan& columns) {
            const at::Tensor window_CTHW = x_BCTHW.select(0, clip)
                                               .narrow(2, rows.begin * edge, rows.length * edge)
                                               .narrow(3, columns.begin * edge, columns.length * edge);
            at::Tensor made = momentsOf(window_CTHW, report, stop);
            ++tilesDone;
            return made;
        };
        moments.push_back(joinTiles(grid, 1, make).permute({3, 0, 1, 2}));
    }
    return momentsFrom(moments);
}

std::int64_t latentFramesPerChunk(const WanVaeConfig& config, std::int64_t rows, std::int64_t columns,
                                  at::ScalarType dtype, at::Device device) {
    const std::int64_t edge = config.spatialFactor() / config.patchSize;  // of the largest activation
    const std::int64_t frameBytes = rows * edge * columns * edge * config.decoderBaseDim *
                                    config.dimMult.front() * std::int64_t(c10::elementSize(dtype));
    const std::int64_t most = device.is_cpu() ? kChunkBytes : kGpuChunkBytes;
    return std::max<std::int64_t>(1, most / (frameBytes * config.temporalFactor()));
}

std::int64_t WanVae::decodeChunk(const at::Tensor& z_CTHW) const {
    if (m_options.latentFramesPerChunk > 0) return m_options.latentFramesPerChunk;
    return latentFramesPerChunk(m_config, z_CTHW.size(2), z_CTHW.size(3),
                                c10::typeMetaToScalarType(m_tensorOptions.dtype()), m_tensorOptions.device());
}

void WanVae::decodeChunks(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop) const {
    const at::Tensor z_THWC =
        m_decoding->postQuantConv.forward(z_CTHW.permute({1, 2, 3, 0}).to(m_tensorOptions).contiguous());
    FeatureCache cache(std::move(stop), m_options.partSeconds);
    const std::int64_t frames = z_THWC.size(0), chunk = decodeChunk(z_CTHW);
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
    const TileGrid grid(z_CTHW.size(2), z_CTHW.size(3), tiling, edge);
    const auto decode = [&](const TileSpan& rows, const TileSpan& columns, const TileFrameSink& sink) {
        decodeChunks(z_CTHW.narrow(2, rows.begin, rows.length).narrow(3, columns.begin, columns.length), sink,
                     stop);
    };
    return joinDecodedTiles(grid, edge, frames, decode, progress).clamp_(-1, 1);
}

at::Tensor WanVae::decode(const at::Tensor& z_BCTHW, const FrameProgress& progress,
                          std::stop_token stop) const {
    if (z_BCTHW.dim() != 5 || z_BCTHW.numel() == 0) {
        refuseShape("latents to decode", z_BCTHW, "[B, ", m_config.zDim, ", T, H, W]");
    }
    const std::int64_t clips = z_BCTHW.size(0), frames = frameCount(z_BCTHW.size(2));
    at::Tensor out_BCTHW;
    for (std::int64_t clip = 0; clip < clips; ++clip) {
        std::int64_t done = 0;
        decodeTo(
            z_BCTHW.select(0, clip),
            [&](const at::Tensor& frames_THWC) {
                if (!out_BCTHW.defined()) {
                    out_BCTHW = at::empty({clips, 3, frames, frames_THWC.size(1), frames_THWC.size(2)},
                                          frames_THWC.options());
                }
                out_BCTHW.select(0, clip)
                    .narrow(1, done, frames_THWC.size(0))
                    .copy_(frames_THWC.permute({3, 0, 1, 2}));
                done += frames_THWC.size(0);
                if (progress) progress(clip * frames + done, clips * frames);
            },
            stop);
    }
    return out_BCTHW;
}

at::Tensor WanVae::normalised(const at::Tensor& z_BCTHW) const {
    return (z_BCTHW.to(at::kFloat) - m_latentsMean) / m_latentsStd;
}

at::Tensor WanVae::denormalised(const at::Tensor& z_BCTHW) const {
    return z_BCTHW.to(at::kFloat) * m_latentsStd + m_latentsMean;
}

}  // namespace reelgrid::vae::wan21
