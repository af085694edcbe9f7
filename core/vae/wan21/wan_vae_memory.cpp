// What WanVae says of its memory.

#include <algorithm>

#include "core/vae/tile_memory.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/weights/weight_source.h"
#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::vae::wan21 {
namespace {

/// Of a parameter of that name and shape, as a layer keeps it.
std::int64_t valuesKept(const std::string& name, at::IntArrayRef shape, ConvPath path) {
    const auto padded = [](std::int64_t channels) { return int((channels + 7) / 8 * 8); };
    const std::int64_t count = c10::multiply_integers(shape);
    const bool isInTime = shape.size() == 5 && shape.back() == 3;
    const bool doubles = shape.size() == 4 && shape.back() == 3 && name.starts_with("decoder.");
    if (path == ConvPath::Winograd && (isInTime || doubles))
        return std::int64_t(
            kernels::vaeConvWeightFloats(padded(shape[1]), padded(shape[0]), isInTime ? int(shape[2]) : 1));
    // And the last tap by itself, for a clip's first frame.
    return path == ConvPath::Libtorch && isInTime ? count + count / shape[2] : count;
}

}  // namespace

std::unique_ptr<WanVae> WanVae::described(const WanVaeConfig& config, const VaeComputing& computing,
                                          VaeParts parts) {
    weights::RecordingWeights none;
    auto vae = std::make_unique<WanVae>(weights::WeightScope(none, at::kFloat), config,
                                        WanVaeOptions{.parts = parts});
    vae->m_tensorOptions = at::TensorOptions().dtype(computing.dtype).device(computing.device);
    vae->m_isDescription = true;
    return vae;
}

std::uint64_t WanVae::weightBytes() const {
    weights::RecordingWeights recording;
    const WanVae counted(weights::WeightScope(recording, at::kFloat), m_config, {.parts = m_options.parts});
    const auto dtype = c10::typeMetaToScalarType(m_tensorOptions.dtype());
    const ConvPath path = convPathOf(dtype, m_tensorOptions.device());
    std::int64_t values = 0;
    for (const auto& [name, shape] : recording.requests()) values += valuesKept(name, shape, path);
    return std::uint64_t(values) * c10::elementSize(dtype);
}

ChunkMemory WanVae::noMemory(const ClipSize& clip) const {
    const auto dtype = c10::typeMetaToScalarType(m_tensorOptions.dtype());
    return {convPathOf(dtype, m_tensorOptions.device()), std::int64_t(c10::elementSize(dtype)),
            clip.frames > 1 ? ChunkMemory::Clip::Longer : ChunkMemory::Clip::OneFrame};
}

ChunkMemory WanVae::layersToDecode(const ClipSize& clip) const {
    const std::int64_t edge = m_config.spatialFactor(), later = (clip.frames - 1) / m_config.temporalFactor();
    const std::int64_t rows = clip.height / edge, columns = clip.width / edge;
    const std::int64_t frames =
        std::clamp<std::int64_t>(latentFramesOfChunk(rows, columns), 1, std::max<std::int64_t>(1, later));
    ChunkMemory memory = noMemory(clip);
    m_decoding.value().decoder.forwardBytes({frames, rows, columns, m_config.zDim}, memory);
    return memory;
}

ChunkMemory WanVae::layersToEncode(const ClipSize& clip) const {
    const std::int64_t frames = clip.frames > 1 ? m_config.temporalFactor() : 1, edge = m_config.patchSize;
    ChunkMemory memory = noMemory(clip);
    m_encoding.value().encoder.forwardBytes(
        {frames, clip.height / edge, clip.width / edge, m_config.pictureChannels()}, memory);
    return memory;
}

std::uint64_t WanVae::bytesToDecode(const ClipSize& clip, const std::optional<Tiling>& tiling) const {
    return clipBytes(clip) + layersToDecode(windowOf(clip, tiling)).peak() + bytesOfTiles(clip, tiling);
}

std::uint64_t WanVae::bytesToEncode(const ClipSize& clip, const std::optional<Tiling>& tiling) const {
    return sizeof(float) * clipBytes(clip) + layersToEncode(windowOf(clip, tiling)).peak();
}

}  // namespace reelgrid::vae::wan21
