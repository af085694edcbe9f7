#pragma once

#include <c10/util/accumulate.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/models/layers/blocks.h"
#include "core/weights/layer_window.h"
#include "core/weights/weight_source.h"

namespace reelgrid::models {

/// Of one block's weights as it computes: those of a Block(config, scope, layer) without weights.
template <class Block, class Config>
std::uint64_t blockWeightBytes(const Config& config, at::ScalarType dtype, at::Device device,
                               LinearProducts products, std::int64_t layer = 0) {
    weights::RecordingWeights none([](const std::string&) { return false; });
    Block block(config, weights::WeightScope(none, dtype), static_cast<int>(layer));
    std::uint64_t bytes = bytesOf(block);
    if (products == LinearProducts::Fp8 && multipliesFp8(device))
        block.eachLinear([&](const Linear& linear) {
            bytes -= static_cast<std::uint64_t>(linear.weight.numel()) * (c10::elementSize(dtype) - 1);
        });
    if (products == LinearProducts::Int8 && multipliesInt8(device, dtype)) {
        block.eachLinear([](Linear& linear) { linear.roundToInt8(); });
        bytes = bytesOf(block);
    }
    return bytes;
}

/// Of so many blocks of as many bytes each, what lies on the device where the options put them.
inline std::uint64_t residentBytes(std::int64_t blocks, std::uint64_t each, const BlockOptions& options) {
    const auto count = static_cast<std::uint64_t>(blocks);
    const auto ranks = static_cast<std::uint64_t>(options.ranks);
    switch (options.residence) {
        case BlockResidence::Windowed:
            return weights::LayerWindow::kSlots * each;
        case BlockResidence::Streamed:
            return each;
        case BlockResidence::Sharded:
            return count * ((each + ranks - 1) / ranks) + ShardWindow::kSlots * each;
        default:
            return count * each;
    }
}

/// The same of blocks that differ in size.
inline std::uint64_t residentBytes(const std::vector<std::uint64_t>& blocks, const BlockOptions& options) {
    if (blocks.empty()) return 0;
    if (options.residence == BlockResidence::Held)
        return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
    return residentBytes(static_cast<std::int64_t>(blocks.size()), std::ranges::max(blocks), options);
}

/// Of a transformer's weights that are in no block, as if all of them were of the dtype.
template <class Transformer, class Config>
std::uint64_t weightBytesWithoutBlocks(const Config& config, at::ScalarType dtype) {
    weights::RecordingWeights counted([](const std::string&) { return false; });
    Config without = config;
    without.numLayers = 0;
    const Transformer rest(without, weights::WeightScope(counted, dtype));
    std::int64_t values = 0;
    for (const auto& [name, shape] : counted.requests()) values += c10::multiply_integers(shape);
    return static_cast<std::uint64_t>(values) * c10::elementSize(dtype);
}

/// Of a transformer's weights that lie on the device, its blocks, which are all alike, where the options put
/// them.
template <class Transformer, class Block, class Config>
std::uint64_t transformerWeightBytes(const Config& config, at::ScalarType dtype, at::Device device,
                                     const BlockOptions& options) {
    return weightBytesWithoutBlocks<Transformer>(config, dtype) +
           residentBytes(config.numLayers, blockWeightBytes<Block>(config, dtype, device, options.products),
                         options);
}

}  // namespace reelgrid::models
