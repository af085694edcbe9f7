#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace reelgrid::weights {

/// Where the tensors of a layer lie in one piece of memory, as libtorch's allocators would align them; each
/// in its own order of dimensions (channels last, say), which kernels are chosen by.
class LayerLayout {
  public:
    LayerLayout() = default;
    /// Of tensors like these, in their order.
    explicit LayerLayout(const std::vector<at::Tensor>& tensors);

    [[nodiscard]] bool isEmpty() const { return m_places.empty(); }
    /// Gaps for alignment included.
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }
    /// Where a tensor begins.
    [[nodiscard]] std::int64_t offsetOf(std::size_t tensor) const { return m_places[tensor].offset; }
    /// Whether a layer's tensors are as many, of the same dtypes, shapes and orders of dimensions.
    [[nodiscard]] bool fits(const std::vector<at::Tensor>& tensors) const;
    /// The tensors in such bytes (kByte, contiguous, any device).
    [[nodiscard]] std::vector<at::Tensor> tensorsIn(const at::Tensor& bytes) const;

  private:
    struct Place {
        std::int64_t offset = 0, bytes = 0;
        std::vector<std::int64_t> sizes, strides;
        at::ScalarType dtype = at::kFloat;
    };
    std::vector<Place> m_places;
    std::int64_t m_bytes = 0;
};

/// A tensor's elements as bytes, in the order in which a layer has them.
at::Tensor elementBytesOf(const at::Tensor& tensor);

}  // namespace reelgrid::weights
