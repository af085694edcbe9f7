#include "core/weights/layer_window.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace reelgrid::weights {

LayerWindow::LayerWindow(at::Device device, PackedLayers layers)
    : m_device(device), m_layers(std::move(layers)) {
    for (Slot& slot : m_slots) {
        slot.bytes = at::empty({m_layers.mostBytes()}, at::TensorOptions().dtype(at::kByte).device(device));
        if (device.is_cpu()) continue;
        slot.copied.emplace(device.type());
        slot.computed.emplace(device.type());
    }
    if (!device.is_cpu())
        m_copies = c10::impl::VirtualGuardImpl(device.type())
                       .getStreamFromGlobalPool(device, /*isHighPriority=*/true);
}

LayerWindow::~LayerWindow() {
    // A copy that is under way writes into a buffer.
    if (m_copies) m_copies->synchronize();
}

c10::Stream LayerWindow::currentStream() const {
    return c10::impl::VirtualGuardImpl(m_device.type()).getStream(m_device);
}

std::vector<at::Tensor> LayerWindow::tensorsOf(std::size_t slot, std::int64_t layer) const {
    return m_layers.tensorsIn(m_slots.at(slot).bytes, layer);
}

void LayerWindow::beginCopy(Slot& slot, std::int64_t layer) {
    slot.layer = layer;
    if (!m_copies) {
        m_layers.copyTo(slot.bytes, layer);
        return;
    }
    // What computes with the layer before it has been queued already.
    slot.computed->record(currentStream());
    slot.computed->block(*m_copies);
    const c10::StreamGuard guard(*m_copies);
    m_layers.copyTo(slot.bytes, layer);
    slot.copied->record(*m_copies);
}

std::size_t LayerWindow::use(std::int64_t layer) {
    std::size_t next = m_current;
    while (m_slots[next].layer != layer) {
        next = (next + 1) % kSlots;
        if (next != m_current) continue;
        next = (m_current + 1) % kSlots;
        beginCopy(m_slots[next], layer);
    }
    if (m_copies) m_slots[next].copied->block(currentStream());
    if (next == m_current) return m_current;
    const std::int64_t after = (layer + 1) % m_layers.layers();
    if (m_slots[m_current].layer != after) beginCopy(m_slots[m_current], after);
    m_current = next;
    return m_current;
}

}  // namespace reelgrid::weights
