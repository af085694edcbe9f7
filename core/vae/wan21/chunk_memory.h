#pragma once

#include <cstdint>

#include "core/vae/conv_path.h"
#include "core/vae/memory_walk.h"

namespace reelgrid::vae::wan21 {

/// Adds up what lives at once while a chunk of frames goes through layers, each of which says it beside its
/// forward(). Bytes.
class ChunkMemory {
  public:
    /// A clip of one frame has one chunk, which nothing came before.
    enum class Clip { OneFrame, Longer };
    ChunkMemory(ConvPath path, std::int64_t elementBytes, Clip clip)
        : m_path(path),
          m_element(elementBytes),
          m_clip(clip),
          m_memory(path == ConvPath::Cudnn ? MemoryWalk::Freed::Gone : MemoryWalk::Freed::Kept) {}

    [[nodiscard]] ConvPath path() const { return m_path; }
    [[nodiscard]] bool isOneFrame() const { return m_clip == Clip::OneFrame; }
    [[nodiscard]] std::int64_t bytesOf(const Activations& x) const { return x.values() * m_element; }

    /// A moment: what lives at once beside what is held.
    void note(const MemoryWalk::Pieces& pieces) { m_memory.note(pieces); }
    /// Something that lives on beside the layers that come, until it is released.
    void hold(const Activations& x) { m_memory.hold(bytesOf(x)); }
    void release(const Activations& x) { m_memory.letGo(bytesOf(x)); }
    /// So many frames of x stay until the next chunk.
    void remember(const Activations& x, std::int64_t frames) {
        m_remembered += bytesOf(x.ofFrames(isOneFrame() ? 1 : frames));
    }
    /// The layers of one size have ended with these.
    void endSize(const Activations& x) { m_memory.endSize(bytesOf(x)); }

    /// What layers remember from chunk to chunk, and the fullest moment; with what the C library keeps.
    [[nodiscard]] std::uint64_t peak() const { return std::uint64_t(m_remembered + m_memory.peak()); }
    /// Without: tensors alone.
    [[nodiscard]] std::uint64_t livePeak() const { return std::uint64_t(m_remembered + m_memory.livePeak()); }

  private:
    ConvPath m_path;
    std::int64_t m_element;
    Clip m_clip;
    MemoryWalk m_memory;
    std::int64_t m_remembered = 0;
};

}  // namespace reelgrid::vae::wan21
