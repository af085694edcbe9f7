#include "core/models/wan/transformer_memory.h"

#include <algorithm>

namespace reelgrid::models::wan {
namespace {

constexpr std::int64_t kFp32 = 4;

std::uint64_t unsignedOf(std::int64_t count) {
    return static_cast<std::uint64_t>(count);
}

}  // namespace

ParameterCounts parameterCounts(const WanTransformerConfig& config) {
    const std::int64_t c = config.innerDim(), f = config.ffnDim, t = config.textDim, q = config.freqDim;
    const bool image = config.imageDim > 0;
    ParameterCounts counts;
    counts.block = 8 * (c * c + c) + 2 * f * c + f + c + (image ? 2 * (c * c + c) : 0);
    counts.blockFp32 = 6 * c + 4 * c + (config.crossAttnNorm ? 2 * c : 0) + (image ? c : 0);
    const std::int64_t volume = config.patchVolume();
    counts.rest = c * config.inChannels * volume + c + 6 * c * c + 6 * c + t * c + c + c * c + c +
                  c * config.outChannels * volume + config.outChannels * volume;
    counts.restFp32 = q * c + c + c * c + c + 2 * c;
    if (image) {
        const std::int64_t e = config.imageDim;
        counts.rest += e * e + e + e * c + c + config.posEmbedSeqLen * e;
        counts.restFp32 += 2 * e + 2 * c;
    }
    return counts;
}

std::uint64_t weightBytes(const WanTransformerConfig& config, at::ScalarType dtype, at::Device device,
                          const BlockOptions& options) {
    const ParameterCounts counts = parameterCounts(config);
    const auto element = static_cast<std::int64_t>(c10::elementSize(dtype));
    const bool isFp8 = options.products == LinearProducts::Fp8 && multipliesFp8(device);
    std::int64_t blocks = config.numLayers;
    if (options.residence == BlockResidence::Windowed) blocks = 2;
    if (options.residence == BlockResidence::Streamed) blocks = 1;
    return unsignedOf(blocks * (counts.block * (isFp8 ? 1 : element) + counts.blockFp32 * kFp32) +
                      counts.rest * element + counts.restFp32 * kFp32);
}

std::uint64_t textBytes(const WanTransformerConfig& config, at::ScalarType dtype, std::int64_t prompts,
                        std::int64_t positions) {
    return unsignedOf(prompts * config.numLayers * 2 * positions * config.innerDim()) *
           c10::elementSize(dtype);
}

std::uint64_t activationBytes(const WanTransformerConfig& config, at::ScalarType dtype, std::int64_t tokens) {
    const std::int64_t c = config.innerDim(), f = config.ffnDim;
    const auto element = static_cast<std::int64_t>(c10::elementSize(dtype));
    const std::int64_t stream = kFp32 * c;
    // What comes in, q, k and v, what attention gives, its projection.
    const std::int64_t attention = element * (1 + 3 + 1 + 1) * c;
    // What comes in, the wide layer, what comes out.
    const std::int64_t wide = element * (c + f + c);
    const std::int64_t angles = config.attentionHeadDim * kFp32;
    return unsignedOf(tokens * (stream + std::max(attention, wide) + angles));
}

}  // namespace reelgrid::models::wan
