#pragma once

#include <memory>

#include "core/models/layers/blocks.h"
#include "core/models/wan/block.h"

namespace reelgrid::models::wan {

/// Takes the parameters of all blocks below `scope`, whose source has to live as long where they are
/// streamed.
std::unique_ptr<Blocks<Block>> loadBlocks(const WanTransformerConfig& config,
                                          const weights::WeightScope& scope, const BlockOptions& options);

}  // namespace reelgrid::models::wan
