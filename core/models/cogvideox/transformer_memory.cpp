#include "core/models/cogvideox/transformer_memory.h"

#include <algorithm>

#include "core/models/cogvideox/block.h"
#include "core/models/cogvideox/transformer.h"

namespace reelgrid::models::cogvideox {
namespace {

std::uint64_t unsignedOf(std::int64_t count) {
    return static_cast<std::uint64_t>(count);
}

/// Of one block as it computes.
std::uint64_t blockBytes(const CogVideoXTransformerConfig& config, at::ScalarType dtype, at::Device device,
                         LinearProducts products) {
    weights::RecordingWeights counted;
    Block block(config, weights::WeightScope(counted, dtype), 0);
    std::uint64_t elements = 0;
    for (const auto& [name, shape] : counted.requests())
        elements += unsignedOf(c10::multiply_integers(shape));
    std::uint64_t bytes = elements * c10::elementSize(dtype);
    if (products == LinearProducts::Fp8 && multipliesFp8(device))
        block.eachLinear([&](const Linear& linear) {
            bytes -= unsignedOf(linear.weight.numel()) * (c10::elementSize(dtype) - 1);
        });
    return bytes;
}

}  // namespace

std::uint64_t weightBytes(const CogVideoXTransformerConfig& config, at::ScalarType dtype, at::Device device,
                          const BlockOptions& options) {
    weights::RecordingWeights counted;
    CogVideoXTransformerConfig without = config;
    without.numLayers = 0;
    const CogVideoXTransformer rest(without, weights::WeightScope(counted, dtype));
    std::uint64_t elements = 0;
    for (const auto& [name, shape] : counted.requests())
        elements += unsignedOf(c10::multiply_integers(shape));
    std::int64_t blocks = config.numLayers;
    if (options.residence == BlockResidence::Windowed) blocks = weights::LayerWindow::kSlots;
    if (options.residence == BlockResidence::Streamed) blocks = 1;
    return elements * c10::elementSize(dtype) +
           unsignedOf(blocks) * blockBytes(config, dtype, device, options.products);
}

std::uint64_t activationBytes(const CogVideoXTransformerConfig& config, at::ScalarType dtype,
                              std::int64_t tokens) {
    constexpr std::int64_t kFp32 = 4;
    const std::int64_t c = config.innerDim(), all = tokens + config.maxTextSeqLength;
    const auto element = static_cast<std::int64_t>(c10::elementSize(dtype));
    const std::int64_t stream = kFp32 * c;
    // What comes in, q, k and v, what attention gives, its projection.
    const std::int64_t attention = element * (1 + 3 + 1 + 1) * c;
    // What comes in, the wide layer, what comes out.
    const std::int64_t wide = element * (c + config.feedForwardDim() + c);
    const std::int64_t positions =
        config.useRotaryPositionalEmbeddings ? kFp32 * config.attentionHeadDim : kFp32 * c;
    return unsignedOf(all * (stream + std::max(attention, wide)) + tokens * positions);
}

}  // namespace reelgrid::models::cogvideox
