#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "core/weights/layer_layout.h"

namespace reelgrid::weights {

/// The tensors of layers, one layer behind the other in host memory, so that a layer is one copy to the
/// device, or a few. Page-locked where the device is a GPU.
class PackedLayers {
  public:
    /// Of one piece of memory: a power of two, as libtorch rounds page-locked memory up to, and small enough
    /// that the last piece, of which layers that differ may leave the most unused, is no loss.
    static constexpr std::int64_t kChunkBytes = std::int64_t{128} << 20;

    /// Room for so many layers that will go to that device.
    PackedLayers(at::Device device, std::int64_t layers, std::int64_t chunkBytes = kChunkBytes);

    /// Copies the next layer's tensors here, from any device. Throws Failure(Internal) when there are too
    /// many layers.
    void add(const std::vector<at::Tensor>& tensors);

    [[nodiscard]] std::int64_t layers() const { return m_layers; }
    /// Of the largest layer that was added, gaps for alignment included.
    [[nodiscard]] std::int64_t mostBytes() const;

    /// Queues the copy of a layer on the current stream to the first of `bytes`, which are at least
    /// mostBytes() of the device.
    void copyTo(const at::Tensor& bytes, std::int64_t layer) const;
    /// The tensors of a layer in such bytes, in the order in which they were added.
    [[nodiscard]] std::vector<at::Tensor> tensorsIn(const at::Tensor& bytes, std::int64_t layer) const {
        return placeOf(layer).layout.tensorsIn(bytes);
    }

  private:
    /// Where a layer lies in the pieces' address space, and its tensors in the layer.
    struct Place {
        std::int64_t first = 0;
        LayerLayout layout;
    };
    struct Chunk {
        std::int64_t first = 0;
        at::Tensor bytes;
    };
    [[nodiscard]] const Place& placeOf(std::int64_t layer) const {
        return m_places.at(static_cast<std::size_t>(layer));
    }
    void reserve(std::int64_t layerBytes);
    template <class Copy>
    void eachPiece(std::int64_t first, std::int64_t bytes, const Copy& copy) const;

    at::Device m_device;
    std::int64_t m_layers;
    std::int64_t m_chunkBytes;
    std::int64_t m_end = 0, m_reserved = 0;  ///< of the layers that were added; of the pieces
    std::vector<Place> m_places;
    std::vector<Chunk> m_chunks;  ///< one address space in pieces
};

}  // namespace reelgrid::weights
