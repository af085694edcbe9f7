#include "core/models/layers/layer_shards.h"

#include <string>

#include "core/base/result.h"

namespace reelgrid::models {
namespace {

/// Of a part: what NCCL and libtorch's allocators like.
constexpr std::int64_t kPartAlignment = 512;

}  // namespace

LayerShards::LayerShards(at::Device device, parallel::Communicator& ranks, std::int64_t layers)
    : m_device(device), m_ranks(&ranks), m_layers(layers) {}

void LayerShards::add(const std::vector<at::Tensor>& tensors) {
    const auto bytes = at::TensorOptions().dtype(at::kByte).device(m_device);
    if (m_layout.isEmpty()) {
        m_layout = weights::LayerLayout(tensors);
        const std::int64_t unit = m_ranks->ranks() * kPartAlignment;
        m_partBytes = (m_layout.bytes() + unit - 1) / unit * kPartAlignment;
        m_parts = at::empty({m_layers, m_partBytes}, bytes);
    }
    if (m_added == m_layers || !m_layout.fits(tensors))
        throw Failure(ErrorCode::Internal, "layer " + std::to_string(m_added) + " of " +
                                               std::to_string(m_layers) + " isn't like the first one");
    if (!m_whole.defined()) m_whole = at::zeros({layerBytes()}, bytes);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const at::Tensor from = weights::elementBytesOf(tensors[i]);
        m_whole.narrow(0, m_layout.offsetOf(i), from.numel()).copy_(from);
    }
    m_parts[m_added].copy_(m_whole.narrow(0, m_ranks->rank() * m_partBytes, m_partBytes));
    if (++m_added == m_layers) m_whole.reset();
}

parallel::Exchange LayerShards::startGather(std::int64_t layer, const at::Tensor& bytes) {
    return m_ranks->startGather(m_parts[layer], bytes);
}

}  // namespace reelgrid::models
