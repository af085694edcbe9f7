#pragma once

// Shape legend: R ranks, P bytes of one rank's part of a layer.

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "core/parallel/communicator.h"
#include "core/weights/layer_layout.h"

namespace reelgrid::models {

/// Layers that are all alike, of whose bytes each rank holds one part of R, as long as the others', on the
/// device that computes.
class LayerShards {
  public:
    /// Room for so many layers; all `ranks` are given the same ones.
    LayerShards(at::Device device, parallel::Communicator& ranks, std::int64_t layers);

    /// Keeps this rank's part of the next layer, whose tensors are whole. Throws Failure(Internal) when there
    /// are too many layers, or when its tensors differ in number, dtype or shape from the first one's.
    void add(const std::vector<at::Tensor>& tensors);

    [[nodiscard]] std::int64_t layers() const { return m_layers; }
    [[nodiscard]] at::Device device() const { return m_device; }
    /// Of this rank's parts of all layers.
    [[nodiscard]] std::uint64_t heldBytes() const {
        return static_cast<std::uint64_t>(m_layers * m_partBytes);
    }
    /// R · P: what gathering a layer fills.
    [[nodiscard]] std::int64_t layerBytes() const { return m_ranks->ranks() * m_partBytes; }

    /// Begins to gather a layer into `bytes`, layerBytes() of the device. Called by all ranks in the same
    /// order.
    [[nodiscard]] parallel::Exchange startGather(std::int64_t layer, const at::Tensor& bytes);
    /// The tensors of a layer in such bytes, in the order in which they were added.
    [[nodiscard]] std::vector<at::Tensor> tensorsIn(const at::Tensor& bytes) const {
        return m_layout.tensorsIn(bytes);
    }

  private:
    at::Device m_device;
    parallel::Communicator* m_ranks;
    std::int64_t m_layers;
    std::int64_t m_added = 0;
    std::int64_t m_partBytes = 0;
    weights::LayerLayout m_layout;
    at::Tensor m_parts;  ///< [layers, P]
    at::Tensor m_whole;  ///< a layer while parts are added, R · P bytes
};

}  // namespace reelgrid::models
