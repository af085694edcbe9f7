#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "core/weights/layer_layout.h"

namespace reelgrid::weights {

/// The tensors of layers that are all alike, one layer behind the other in host memory, so that a layer is
/// one copy to the device. Page-locked where the device is a GPU.
class PackedLayers {
  public:
    /// Of one piece of memory: a power of two, as libtorch rounds page-locked memory up to.
    static constexpr std::int64_t kChunkBytes = std::int64_t{1} << 30;

    /// Room for so many layers that will go to that device.
    PackedLayers(at::Device device, std::int64_t layers, std::int64_t chunkBytes = kChunkBytes);

    /// Copies the next layer's tensors here, from any device. Throws Failure(Internal) when there are too
    /// many layers, or when its tensors differ in number, dtype or shape from the first one's.
    void add(const std::vector<at::Tensor>& tensors);

    [[nodiscard]] std::int64_t layers() const { return m_layers; }
    /// Of one layer, gaps for alignment included.
    [[nodiscard]] std::int64_t layerBytes() const { return m_layout.bytes(); }

    /// Queues the copy of a layer on the current stream; `bytes` are layerBytes() of the device.
    void copyTo(const at::Tensor& bytes, std::int64_t layer) const;
    /// The tensors of a layer in such bytes, in the order in which they were added.
    [[nodiscard]] std::vector<at::Tensor> tensorsIn(const at::Tensor& bytes) const {
        return m_layout.tensorsIn(bytes);
    }

  private:
    void reserve();
    template <class Copy>
    void eachPiece(std::int64_t first, std::int64_t bytes, const Copy& copy) const;

    at::Device m_device;
    std::int64_t m_layers;
    std::int64_t m_chunkBytes;
    std::int64_t m_added = 0;
    LayerLayout m_layout;
    /// One address space in pieces.
    std::vector<at::Tensor> m_chunks;
};

}  // namespace reelgrid::weights
