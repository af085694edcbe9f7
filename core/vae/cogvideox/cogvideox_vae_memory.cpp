// What CogVideoXVae says of its memory.

#include "core/vae/cogvideox/cogvideox_vae.h"
#include "core/vae/cogvideox/frame_batches.h"
#include "core/vae/tile_memory.h"
#include "core/weights/weight_source.h"
#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::vae::cogvideox {
namespace {

/// The first batch and one of those that find what it left, if there are any.
template <class Visit>
void eachKindOfBatch(const std::vector<FrameBatch>& batches, const Visit& visit) {
    visit(batches.front().count);
    if (batches.size() > 1) visit(batches.back().count);
}

}  // namespace

std::unique_ptr<CogVideoXVae> CogVideoXVae::described(const CogVideoXVaeConfig& config,
                                                      const VaeComputing& computing, VaeParts parts) {
    weights::RecordingWeights none;
    auto vae = std::make_unique<CogVideoXVae>(weights::WeightScope(none, at::kFloat), config,
                                              CogVideoXVaeOptions{.parts = parts});
    vae->m_tensorOptions = at::TensorOptions().dtype(computing.dtype).device(computing.device);
    vae->m_isDescription = true;
    return vae;
}

std::uint64_t CogVideoXVae::weightBytes() const {
    weights::RecordingWeights counted;
    const CogVideoXVae vae(weights::WeightScope(counted, at::kFloat), m_config, {.parts = m_parts});
    const auto dtype = c10::typeMetaToScalarType(m_tensorOptions.dtype());
    const bool isTransformed =
        m_tensorOptions.device().is_cpu() && dtype == at::kFloat && kernels::vaeConvLanes() > 0;
    std::uint64_t values = 0;
    for (const auto& [name, shape] : counted.requests()) {
        // Downsamplers, of stride 2, stay as they are.
        const bool is3x3 =
            shape.size() >= 4 && shape.back() == 3 && name.find("downsampler") == std::string::npos;
        if (isTransformed && is3x3)
            values += kernels::vaeConvWeightFloats(int(shape[1]), int(shape[0]),
                                                   shape.size() == 5 ? int(shape[2]) : 1);
        else
            values += std::uint64_t(c10::multiply_integers(shape));
    }
    return values * c10::elementSize(dtype);
}

BatchMemory CogVideoXVae::noMemory() const {
    return {c10::typeMetaToScalarType(m_tensorOptions.dtype()), m_tensorOptions.device()};
}

BatchMemory CogVideoXVae::layersToDecode(const ClipSize& clip) const {
    BatchMemory memory = noMemory();
    const std::int64_t edge = m_config.spatialFactor(),
                       latents = (clip.frames - 1) / m_config.temporalFactor() + 1;
    eachKindOfBatch(frameBatches(latents, kLatentFramesOfBatch), [&](std::int64_t count) {
        const Activations z{count, clip.height / edge, clip.width / edge, m_config.zDim};
        memory.beginBatch(z);
        const Activations frames = m_decoder.value().forwardBytes(z, memory);
        // In fp32, and cut to the range of colours.
        memory.note({memory.bytesOf(frames), 2 * frames.values() * std::int64_t(sizeof(float))});
    });
    return memory;
}

BatchMemory CogVideoXVae::layersToEncode(const ClipSize& clip) const {
    constexpr std::int64_t kColors = 3;
    BatchMemory memory = noMemory();
    eachKindOfBatch(frameBatches(clip.frames, kFramesOfBatch), [&](std::int64_t count) {
        memory.beginBatch({});
        m_encoder.value().forwardBytes({count, clip.height, clip.width, kColors}, memory);
    });
    return memory;
}

std::uint64_t CogVideoXVae::bytesToDecode(const ClipSize& clip, const std::optional<Tiling>& tiling) const {
    return clipBytes(clip) + layersToDecode(windowOf(clip, tiling)).peak() + bytesOfTiles(clip, tiling);
}

std::uint64_t CogVideoXVae::bytesToEncode(const ClipSize& clip, const std::optional<Tiling>& tiling) const {
    return sizeof(float) * clipBytes(clip) + layersToEncode(windowOf(clip, tiling)).peak();
}

}  // namespace reelgrid::vae::cogvideox
