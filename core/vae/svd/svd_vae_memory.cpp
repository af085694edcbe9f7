// What SvdVae says of its memory.

#include "core/vae/picture_memory.h"
#include "core/vae/svd/svd_vae.h"
#include "core/vae/tile_memory.h"
#include "core/weights/weight_source.h"

namespace reelgrid::vae::svd {
namespace {

PictureMemory memoryIn(const at::TensorOptions& options) {
    return {c10::typeMetaToScalarType(options.dtype()), options.device()};
}

}  // namespace

std::unique_ptr<SvdVae> SvdVae::described(const SvdVaeConfig& config, const VaeComputing& computing,
                                          VaeParts parts) {
    weights::RecordingWeights none;
    auto vae = std::make_unique<SvdVae>(weights::WeightScope(none, at::kFloat), config,
                                        SvdVaeOptions{.parts = parts});
    vae->m_tensorOptions = at::TensorOptions().dtype(computing.dtype).device(computing.device);
    const bool upcast = config.forceUpcast && computing.dtype == at::kHalf;
    vae->m_encoderOptions = vae->m_tensorOptions.dtype(upcast ? at::kFloat : computing.dtype);
    vae->m_isDescription = true;
    return vae;
}

std::uint64_t SvdVae::weightBytes() const {
    std::uint64_t bytes = 0;
    for (const VaeParts part : {VaeParts::Encoder, VaeParts::Decoder}) {
        if (m_parts != part && m_parts != VaeParts::Both) continue;
        weights::RecordingWeights counted;
        const SvdVae vae(weights::WeightScope(counted, at::kFloat), m_config, {.parts = part});
        const at::TensorOptions& options = part == VaeParts::Encoder ? m_encoderOptions : m_tensorOptions;
        bytes += pictureWeightBytes(counted.requests(), c10::typeMetaToScalarType(options.dtype()),
                                    options.device());
    }
    return bytes;
}

PictureMemory SvdVae::layersToDecode(const ClipSize& clip) const {
    const std::int64_t edge = m_config.image.spatialFactor();
    PictureMemory memory = memoryIn(m_tensorOptions);
    m_decoder.value().forwardBytes(
        {clip.frames, clip.height / edge, clip.width / edge, m_config.image.latentChannels}, memory);
    return memory;
}

PictureMemory SvdVae::layersToEncode(const ClipSize& clip) const {
    constexpr std::int64_t kColors = 3;
    PictureMemory memory = memoryIn(m_encoderOptions);
    m_encoder.value().forwardBytes({1, clip.height, clip.width, kColors}, memory);
    return memory;
}

std::uint64_t SvdVae::bytesToDecode(const ClipSize& clip, const std::optional<Tiling>& tiling) const {
    return clipBytes(clip) + layersToDecode(windowOf(clip, tiling)).peak() + bytesOfTiles(clip, tiling);
}

std::uint64_t SvdVae::bytesToEncode(const ClipSize& clip, const std::optional<Tiling>& tiling) const {
    return sizeof(float) * clipBytes(clip) + layersToEncode(windowOf(clip, tiling)).peak();
}

}  // namespace reelgrid::vae::svd
