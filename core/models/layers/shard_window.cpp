#include "core/models/layers/shard_window.h"

#include <exception>
#include <utility>

namespace reelgrid::models {

ShardWindow::ShardWindow(LayerShards shards) : m_shards(std::move(shards)) {
    for (Slot& slot : m_slots)
        slot.bytes = at::empty({m_shards.layerBytes()},
                               at::TensorOptions().dtype(at::kByte).device(m_shards.device()));
}

ShardWindow::~ShardWindow() {
    // A GPU's memory goes to whoever asks next on its stream, which therefore waits for what still arrives.
    // Gloo's exchanges hold theirs themselves.
    for (Slot& slot : m_slots) {
        if (!slot.coming || m_shards.device().is_cpu()) continue;
        try {
            await(slot);
        } catch (const std::exception&) {
            // The ranks are ending; who waits for a layer is told.
        }
    }
}

std::uint64_t ShardWindow::deviceBytes() const {
    return m_shards.heldBytes() + kSlots * static_cast<std::uint64_t>(m_shards.layerBytes());
}

std::vector<at::Tensor> ShardWindow::tensorsOf(std::size_t slot) const {
    return m_shards.tensorsIn(m_slots.at(slot).bytes);
}

void ShardWindow::beginGather(Slot& slot, std::int64_t layer) {
    await(slot);
    slot.layer = -1;
    slot.coming = m_shards.startGather(layer, slot.bytes);
    slot.layer = layer;
}

void ShardWindow::await(Slot& slot) {
    if (!slot.coming) return;
    parallel::Exchange coming = *std::exchange(slot.coming, std::nullopt);
    static_cast<void>(coming.received());
}

std::size_t ShardWindow::use(std::int64_t layer) {
    const std::size_t other = (m_current + 1) % kSlots;
    std::size_t next = m_current;
    if (m_slots[m_current].layer != layer) {
        next = other;
        if (m_slots[other].layer != layer) beginGather(m_slots[other], layer);
    }
    await(m_slots[next]);
    if (next == m_current) return m_current;
    const std::int64_t after = (layer + 1) % m_shards.layers();
    if (after != layer && m_slots[m_current].layer != after) beginGather(m_slots[m_current], after);
    m_current = next;
    return m_current;
}

}  // namespace reelgrid::models
