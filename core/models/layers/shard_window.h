#pragma once

#include <ATen/ATen.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/models/layers/layer_shards.h"

namespace reelgrid::models {

/// Layers that ranks share take turns in two buffers of each: while one is computed with, the next is
/// gathered. What weights::LayerWindow is to host memory. Lives on one thread.
class ShardWindow {
  public:
    static constexpr std::size_t kSlots = 2;

    /// All layers have been added.
    explicit ShardWindow(LayerShards shards);
    ~ShardWindow();
    ShardWindow(const ShardWindow&) = delete;
    ShardWindow& operator=(const ShardWindow&) = delete;

    /// This rank's parts and the two buffers.
    [[nodiscard]] std::uint64_t deviceBytes() const;
    /// The tensors of whichever layer is in a buffer, in the order in which they were added.
    [[nodiscard]] std::vector<at::Tensor> tensorsOf(std::size_t slot) const;

    /// The buffer that holds the layer, for all that is queued on the current stream until the next call,
    /// which gives the buffer of this call away: to the layer after this one's, the first after the last.
    /// All ranks use the same layers in the same order. Throws as parallel::Exchange::received() does.
    std::size_t use(std::int64_t layer);

  private:
    struct Slot {
        at::Tensor bytes;
        std::int64_t layer = -1;  ///< −1: none
        std::optional<parallel::Exchange> coming{};
    };
    void beginGather(Slot& slot, std::int64_t layer);
    static void await(Slot& slot);

    LayerShards m_shards;
    std::array<Slot, kSlots> m_slots;
    std::size_t m_current = 0;
};

}  // namespace reelgrid::models
