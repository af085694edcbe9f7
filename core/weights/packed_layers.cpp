#include "core/weights/packed_layers.h"

#include <algorithm>

#include "core/base/result.h"

namespace reelgrid::weights {
namespace {

/// As libtorch's allocators align.
constexpr std::int64_t kLayerAlignment = 512;

/// The tensor's elements as bytes.
at::Tensor bytesOf(const at::Tensor& tensor) {
    return tensor.contiguous().view(-1).view(at::kByte);
}

}  // namespace

PackedLayers::PackedLayers(at::Device device, std::int64_t layers, std::int64_t chunkBytes)
    : m_device(device), m_layers(layers), m_chunkBytes(chunkBytes) {}

void PackedLayers::layOut(const std::vector<at::Tensor>& tensors) {
    for (const at::Tensor& tensor : tensors) {
        const auto bytes = static_cast<std::int64_t>(tensor.nbytes());
        m_places.push_back({m_layerBytes, bytes, tensor.sizes().vec(), tensor.scalar_type()});
        m_layerBytes += (bytes + kLayerAlignment - 1) / kLayerAlignment * kLayerAlignment;
    }
}

void PackedLayers::reserve() {
    const auto options = at::TensorOptions().dtype(at::kByte).pinned_memory(m_device.is_cuda());
    const std::int64_t all = m_layerBytes * m_layers;
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
    if (m_places.empty()) {
        layOut(tensors);
        reserve();
    }
    const bool alike =
        std::equal(tensors.begin(), tensors.end(), m_places.begin(), m_places.end(),
                   [](const at::Tensor& tensor, const Place& place) {
                       return tensor.sizes() == place.sizes && tensor.scalar_type() == place.dtype;
                   });
    if (m_added == m_layers || !alike)
        throw Failure(ErrorCode::Internal, "layer " + std::to_string(m_added) + " of " +
                                               std::to_string(m_layers) + " isn't like the first one");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const at::Tensor from = bytesOf(tensors[i]);
        eachPiece(m_added * m_layerBytes + m_places[i].offset, m_places[i].bytes,
                  [&](const at::Tensor& to, std::int64_t done, std::int64_t count) {
                      to.copy_(from.narrow(0, done, count));
                  });
    }
    ++m_added;
}

void PackedLayers::copyTo(const at::Tensor& bytes, std::int64_t layer) const {
    eachPiece(layer * m_layerBytes, m_layerBytes,
              [&](const at::Tensor& from, std::int64_t done, std::int64_t count) {
                  bytes.narrow(0, done, count).copy_(from, /*non_blocking=*/true);
              });
}

std::vector<at::Tensor> PackedLayers::tensorsIn(const at::Tensor& bytes) const {
    std::vector<at::Tensor> tensors;
    for (const Place& place : m_places)
        tensors.push_back(
            bytes.narrow(0, place.offset, place.bytes).view(place.dtype).view(at::IntArrayRef(place.sizes)));
    return tensors;
}

}  // namespace reelgrid::weights
