#pragma once

#include <cstdint>
#include <memory>

#include "core/models/wan/block.h"

namespace reelgrid::models::wan {

/// Where the weights of a transformer's blocks lie while other blocks compute.
enum class BlockResidence {
    Held,      ///< on the device, all of them
    Windowed,  ///< in host memory; two at a time on the device (weights::LayerWindow)
    Streamed,  ///< in their file; each is loaded when it is its turn
};

/// What a transformer's layers compute in.
struct BlockOptions {
    BlockResidence residence = BlockResidence::Held;
    LinearProducts products = LinearProducts::AsStored;
};

/// The blocks of a transformer in the order of a forward pass.
class Blocks {
  public:
    virtual ~Blocks() = default;
    [[nodiscard]] virtual int count() const = 0;
    /// The block, for all that is called until the next use(). Blocks are cheapest to use one after another.
    virtual const Block& use(int layer) = 0;
    /// Of the weights that stay on the device.
    [[nodiscard]] virtual std::uint64_t deviceBytes() const = 0;
};

/// Takes the parameters of all blocks below `scope`, whose source has to live as long where they are
/// streamed.
std::unique_ptr<Blocks> loadBlocks(const WanTransformerConfig& config, const weights::WeightScope& scope,
                                   const BlockOptions& options);

}  // namespace reelgrid::models::wan
