#include "core/models/sd35/block_runs.h"

#include <algorithm>

#include "core/models/layers/weight_bytes.h"

namespace reelgrid::models::sd35 {
namespace {

/// A window of buffers for one layer would be larger than the layer.
BlockOptions optionsFor(const LayerRun& run, BlockOptions options) {
    const bool isWindowed =
        options.residence == BlockResidence::Windowed || options.residence == BlockResidence::Sharded;
    if (isWindowed && run.count <= std::int64_t(weights::LayerWindow::kSlots))
        options.residence = BlockResidence::Held;
    return options;
}

}  // namespace

std::vector<LayerRun> layerRuns(const Sd35TransformerConfig& config) {
    std::vector<LayerRun> runs;
    for (std::int64_t layer = 0; layer < config.numLayers; ++layer) {
        const bool isAlike = layer > 0 && !config.isLast(layer) &&
                             config.hasDualAttention(layer) == config.hasDualAttention(layer - 1);
        if (isAlike)
            ++runs.back().count;
        else
            runs.push_back({layer, 1});
    }
    return runs;
}

BlockRuns::BlockRuns(const Sd35TransformerConfig& config, const weights::WeightScope& scope,
                     const BlockOptions& options)
    : m_count(static_cast<int>(config.numLayers)) {
    for (const LayerRun& run : layerRuns(config))
        m_runs.push_back({static_cast<int>(run.first),
                          makeBlocks<Block>({.load =
                                                 [config, scope, first = run.first](int inRun) {
                                                     const std::int64_t layer = first + inRun;
                                                     return Block(config, scope / layer, layer);
                                                 },
                                             .count = static_cast<int>(run.count),
                                             .device = scope.device()},
                                            optionsFor(run, options))});
}

const Block& BlockRuns::use(int layer) {
    const auto after = std::ranges::upper_bound(m_runs, layer, {}, &Run::first);
    const Run& run = *std::prev(after);
    return run.blocks->use(layer - run.first);
}

std::uint64_t BlockRuns::deviceBytes() const {
    std::uint64_t bytes = 0;
    for (const Run& run : m_runs) bytes += run.blocks->deviceBytes();
    return bytes;
}

std::uint64_t blockRunBytes(const Sd35TransformerConfig& config, at::ScalarType dtype, at::Device device,
                            const BlockOptions& options) {
    std::uint64_t bytes = 0;
    for (const LayerRun& run : layerRuns(config)) {
        bytes += residentBytes(run.count,
                               blockWeightBytes<Block>(config, dtype, device, options.products, run.first),
                               optionsFor(run, options));
    }
    return bytes;
}

}  // namespace reelgrid::models::sd35
