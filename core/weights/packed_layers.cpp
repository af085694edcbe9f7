#include "core/weights/packed_layers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/result.h"

namespace reelgrid::weights {

PackedLayers::PackedLayers(at::Device device, std::int64_t layers, std::int64_t chunkBytes)
    : m_device(device), m_layers(layers), m_chunkBytes(chunkBytes) {}

std::int64_t PackedLayers::mostBytes() const {
    std::int64_t most = 0;
    for (const Place& place : m_places) most = std::max(most, place.layout.bytes());
    return most;
}

/// Pieces for a layer of so many bytes behind the others. Those that come are taken to be like it: layers
/// that are all alike leave nothing unused.
void PackedLayers::reserve(std::int64_t layerBytes) {
    const auto options = at::TensorOptions().dtype(at::kByte).pinned_memory(m_device.is_cuda());
    const std::int64_t left = m_layers - static_cast<std::int64_t>(m_places.size());
    const std::int64_t all = m_end + left * layerBytes;
    while (m_reserved < m_end + layerBytes) {
        const std::int64_t bytes = std::min(m_chunkBytes, all - m_reserved);
        m_chunks.push_back({m_reserved, at::empty({bytes}, options)});
        m_reserved += bytes;
    }
}

/// Calls copy(chunk's part, offset in the range, bytes) for the pieces of a range of the address space.
template <class Copy>
void PackedLayers::eachPiece(std::int64_t first, std::int64_t bytes, const Copy& copy) const {
    if (bytes == 0) return;
    auto chunk = std::prev(std::ranges::upper_bound(m_chunks, first, {}, &Chunk::first));
    for (std::int64_t done = 0; done < bytes; ++chunk) {
        const std::int64_t inChunk = first + done - chunk->first;
        const std::int64_t count = std::min(bytes - done, chunk->bytes.numel() - inChunk);
        copy(chunk->bytes.narrow(0, inChunk, count), done, count);
        done += count;
    }
}

void PackedLayers::add(const std::vector<at::Tensor>& tensors) {
    const auto added = static_cast<std::int64_t>(m_places.size());
    if (added == m_layers)
        throw Failure(ErrorCode::Internal, "layer " + std::to_string(added) + " of " +
                                               std::to_string(m_layers) + ": there is no room for it");
    Place place{m_end, LayerLayout(tensors)};
    reserve(place.layout.bytes());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const at::Tensor from = elementBytesOf(tensors[i]);
        eachPiece(place.first + place.layout.offsetOf(i), from.numel(),
                  [&](const at::Tensor& to, std::int64_t done, std::int64_t count) {
                      to.copy_(from.narrow(0, done, count));
                  });
    }
    m_end += place.layout.bytes();
    m_places.push_back(std::move(place));
}

void PackedLayers::copyTo(const at::Tensor& bytes, std::int64_t layer) const {
    const Place& place = placeOf(layer);
    eachPiece(place.first, place.layout.bytes(),
              [&](const at::Tensor& from, std::int64_t done, std::int64_t count) {
                  bytes.narrow(0, done, count).copy_(from, /*non_blocking=*/true);
              });
}

}  // namespace reelgrid::weights
