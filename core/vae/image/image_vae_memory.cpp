// What ImageVae says of its memory.

#include "core/vae/image/image_vae.h"
#include "core/vae/tile_memory.h"
#include "core/weights/weight_source.h"

namespace reelgrid::vae::image {
namespace {

constexpr std::int64_t kColorsOfPicture = 3;

/// A clip in fp32.
std::uint64_t floatBytes(const ClipSize& clip) {
    return sizeof(float) * clipBytes(clip);
}

}  // namespace

std::unique_ptr<ImageVae> ImageVae::described(const ImageVaeConfig& config, const VaeComputing& computing,
                                              VaeParts parts) {
    weights::RecordingWeights none;
    auto vae = std::make_unique<ImageVae>(weights::WeightScope(none, at::kFloat), config,
                                          ImageVaeOptions{.parts = parts});
    vae->m_tensorOptions = at::TensorOptions().dtype(computing.dtype).device(computing.device);
    vae->m_isDescription = true;
    return vae;
}

std::uint64_t ImageVae::weightBytes() const {
    weights::RecordingWeights counted;
    const ImageVae vae(weights::WeightScope(counted, at::kFloat), m_config, {.parts = m_options.parts});
    return pictureWeightBytes(counted.requests(), c10::typeMetaToScalarType(m_tensorOptions.dtype()),
                              m_tensorOptions.device());
}

PictureMemory ImageVae::noMemory() const {
    return {c10::typeMetaToScalarType(m_tensorOptions.dtype()), m_tensorOptions.device()};
}

PictureMemory ImageVae::layersToDecode(const ClipSize& clip) const {
    PictureMemory memory = noMemory();
    const std::int64_t edge = m_config.spatialFactor();
    const Activations z{together(clip.frames), clip.height / edge, clip.width / edge,
                        m_config.latentChannels};
    m_decoder.value().forwardBytes(z, memory);
    return memory;
}

PictureMemory ImageVae::layersToEncode(const ClipSize& clip) const {
    PictureMemory memory = noMemory();
    m_encoder.value().forwardBytes({together(clip.frames), clip.height, clip.width, kColorsOfPicture},
                                   memory);
    return memory;
}

/// In tiles all frames wait for the last one, in fp32; tiles are those of one frame.
std::uint64_t ImageVae::bytesToDecode(const ClipSize& clip, const std::optional<Tiling>& tiling) const {
    const ClipSize one{together(clip.frames), clip.height, clip.width};
    const std::uint64_t waiting = tiling ? floatBytes(clip) + bytesOfTiles(one, tiling) : 0;
    return clipBytes(clip) + layersToDecode(windowOf(clip, tiling)).peak() + waiting;
}

std::uint64_t ImageVae::bytesToEncode(const ClipSize& clip, const std::optional<Tiling>& tiling) const {
    return floatBytes(clip) + layersToEncode(windowOf(clip, tiling)).peak();
}

}  // namespace reelgrid::vae::image
