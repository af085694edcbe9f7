#pragma once

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/weights/packed_layers.h"

namespace reelgrid::weights {

/// Layers in host memory that take turns in two buffers on the device, each as large as the largest layer:
/// while one is computed with, the next is copied on a stream of its own. On the CPU the same happens one
/// after the other. Lives on one thread.
class LayerWindow {
  public:
    static constexpr std::size_t kSlots = 2;

    LayerWindow(at::Device device, PackedLayers layers);
    ~LayerWindow();
    LayerWindow(const LayerWindow&) = delete;
    LayerWindow& operator=(const LayerWindow&) = delete;

    /// The tensors of a layer while it is in a buffer, in the order in which they were packed.
    [[nodiscard]] std::vector<at::Tensor> tensorsOf(std::size_t slot, std::int64_t layer) const;

    /// The buffer that holds the layer for all that is queued on the current stream until the next call,
    /// which gives the buffer of this call away: to the layer after this one's, the first after the last.
    std::size_t use(std::int64_t layer);

  private:
    struct Slot {
        at::Tensor bytes;
        std::int64_t layer = -1;  ///< −1: none
        std::optional<c10::Event> copied{}, computed{};
    };
    void beginCopy(Slot& slot, std::int64_t layer);
    [[nodiscard]] c10::Stream currentStream() const;

    at::Device m_device;
    PackedLayers m_layers;
    std::optional<c10::Stream> m_copies;  ///< none on the CPU
    std::array<Slot, kSlots> m_slots;
    std::size_t m_current = 0;
};

}  // namespace reelgrid::weights
