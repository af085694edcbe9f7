#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "core/vae/conv_path.h"
#include "core/vae/memory_walk.h"

namespace reelgrid::vae::cogvideox {

/// Adds up what lives at once while batches of frames go through layers, each of which says it beside its
/// forward(). Bytes.
class BatchMemory {
  public:
    BatchMemory(at::ScalarType dtype, at::Device device)
        : m_path(convPathOf(dtype, device)),
          m_element(std::int64_t(c10::elementSize(dtype))),
          m_device(device),
          m_memory(device.is_cpu() ? MemoryWalk::Freed::Kept : MemoryWalk::Freed::Gone) {}

    /// A batch of so many latents, which norms lie over; none in an encoder. Layers of later batches find
    /// what they remember of the first.
    void beginBatch(const Activations& latents) {
        m_latents = latents;
        if (m_batches++ > 0) m_memory.restart();
    }
    [[nodiscard]] bool isFirstBatch() const { return m_batches == 1; }
    [[nodiscard]] const Activations& latents() const { return m_latents; }

    [[nodiscard]] ConvPath path() const { return m_path; }
    [[nodiscard]] at::Device device() const { return m_device; }
    [[nodiscard]] std::int64_t elementBytes() const { return m_element; }
    [[nodiscard]] std::int64_t bytesOf(const Activations& x) const { return x.values() * m_element; }

    /// A moment: what lives at once beside what is held.
    void note(const MemoryWalk::Pieces& pieces) { m_memory.note(pieces); }
    /// Something that lives on beside the layers that come, until it is released.
    void hold(std::int64_t bytes) { m_memory.hold(bytes); }
    void release(std::int64_t bytes) { m_memory.letGo(bytes); }
    /// The layers of one size have ended with these.
    void endSize(const Activations& x) { m_memory.endSize(bytesOf(x)); }

    /// The fullest moment, with what the C library keeps.
    [[nodiscard]] std::uint64_t peak() const { return std::uint64_t(m_memory.peak()); }
    /// Without: tensors alone.
    [[nodiscard]] std::uint64_t livePeak() const { return std::uint64_t(m_memory.livePeak()); }

  private:
    ConvPath m_path;
    std::int64_t m_element;
    at::Device m_device;
    MemoryWalk m_memory;
    Activations m_latents{};
    int m_batches = 0;
};

}  // namespace reelgrid::vae::cogvideox
