#include "core/weights/packed_layers.h"

#include <algorithm>

#include "core/base/result.h"

namespace reelgrid::weights {
PackedLayers::PackedLayers(at::Device device, std::int64_t layers, std::int64_t chunkBytes)
    : m_device(device), m_layers(layers), m_chunkBytes(chunkBytes) {}

void PackedLayers::reserve() {
    const auto options = at::TensorOptions().dtype(at::kByte).pinned_memory(m_device.is_cuda());
    const std::int64_t all = m_layout.bytes() * m_layers;
    for (std::int64_t first = 0; first < all; first += m_chunkBytes)
        m_chunks.push_back(at::empty({std::min(m_chunkBytes, all - first)}, options));
}

/// Calls copy(chunk's part, offset in the range, bytes) for the pieces of a range of the address space.
template <class Copy>
void PackedLayers::eachPiece(std::int64_t first, std::int64_t bytes, const Copy& copy) const {
    for (std::int64_t done = 0; done < bytes;) {
        const std::int64_t at = first + done, inChunk = at % m_chunkBytes;
        const std::int64_t count = std::min(bytes - done, m_chunkBytes - inChunk);
        copy(m_chunks[static_cast<std::size_t>(at / m_chunkBytes)].narrow(0, inChunk, count), done, count);
        done += count;
    }
}

void PackedLayers::add(const std::vector<at::Tensor>& tensors) {
    if (m_layout.isEmpty()) {
        m_layout = LayerLayout(tensors);
        reserve();
    }
    if (m_added == m_layers || !m_layout.fits(tensors))
        throw Failure(ErrorCode::Internal, "layer " + std::to_string(m_added) + " of " +
                                               std::to_string(m_layers) + " isn't like the first one");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const at::Tensor from = elementBytesOf(tensors[i]);
        eachPiece(m_added * m_layout.bytes() + m_layout.offsetOf(i), from.numel(),
                  [&](const at::Tensor& to, std::int64_t done, std::int64_t count) {
                      to.copy_(from.narrow(0, done, count));
                  });
    }
    ++m_added;
}

void PackedLayers::copyTo(const at::Tensor& bytes, std::int64_t layer) const {
    eachPiece(layer * m_layout.bytes(), m_layout.bytes(),
              [&](const at::Tensor& from, std::int64_t done, std::int64_t count) {
                  bytes.narrow(0, done, count).copy_(from, /*non_blocking=*/true);
              });
}

}  // namespace reelgrid::weights
