#include "core/models/wan/blocks.h"

namespace reelgrid::models::wan {

std::unique_ptr<Blocks<Block>> loadBlocks(const WanTransformerConfig& config,
                                          const weights::WeightScope& scope, const BlockOptions& options) {
    return makeBlocks<Block>(
        {.load = [config, scope](int layer) { return Block(config, scope / layer, layer); },
         .count = static_cast<int>(config.numLayers),
         .device = scope.device()},
        options);
}

}  // namespace reelgrid::models::wan
