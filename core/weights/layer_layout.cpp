#include "core/weights/layer_layout.h"

#include <algorithm>

namespace reelgrid::weights {
namespace {

/// As libtorch's allocators align.
constexpr std::int64_t kLayerAlignment = 512;

/// Without gaps between its elements.
at::Tensor dense(const at::Tensor& tensor) {
    return tensor.is_non_overlapping_and_dense() ? tensor : tensor.contiguous();
}

}  // namespace

LayerLayout::LayerLayout(const std::vector<at::Tensor>& tensors) {
    for (const at::Tensor& tensor : tensors) {
        const auto bytes = static_cast<std::int64_t>(tensor.nbytes());
        const at::Tensor stored = dense(tensor);
        m_places.push_back(
            {m_bytes, bytes, stored.sizes().vec(), stored.strides().vec(), stored.scalar_type()});
        m_bytes += (bytes + kLayerAlignment - 1) / kLayerAlignment * kLayerAlignment;
    }
}

bool LayerLayout::fits(const std::vector<at::Tensor>& tensors) const {
    return std::equal(tensors.begin(), tensors.end(), m_places.begin(), m_places.end(),
                      [](const at::Tensor& tensor, const Place& place) {
                          return tensor.sizes() == place.sizes && tensor.scalar_type() == place.dtype &&
                                 dense(tensor).strides() == place.strides;
                      });
}

std::vector<at::Tensor> LayerLayout::tensorsIn(const at::Tensor& bytes) const {
    std::vector<at::Tensor> tensors;
    for (const Place& place : m_places)
        tensors.push_back(bytes.narrow(0, place.offset, place.bytes)
                              .view(place.dtype)
                              .as_strided(place.sizes, place.strides));
    return tensors;
}

at::Tensor elementBytesOf(const at::Tensor& tensor) {
    return dense(tensor).as_strided({tensor.numel()}, {1}).view(at::kByte);
}

}  // namespace reelgrid::weights
