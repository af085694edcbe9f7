#pragma once

#include <cstdint>
#include <vector>

namespace reelgrid::vae {

/// Adds up what lives at once while layers run one after another, without computing any of them. All in
/// bytes.
class MemoryWalk {
  public:
    /// What becomes of small pieces that are freed: the C library keeps them, too small for the wider layers
    /// that come; of a GPU only what is handed out counts.
    enum class Freed { Kept, Gone };
    explicit MemoryWalk(Freed freed) : m_freed(freed) {}

    /// Something that lives on beside the layers that come, until it is let go.
    void hold(std::int64_t bytes) { m_held += bytes; }
    void letGo(std::int64_t bytes) { m_held -= bytes; }
    /// A moment: the sizes of what lives at once beside what is held.
    using Pieces = std::vector<std::int64_t>;
    void note(const Pieces& pieces);
    /// The layers of one size have ended with so many bytes, which live.
    void endSize(std::int64_t bytes);

    /// The same layers run again, and use what was kept of them.
    void restart() { m_kept = m_smallOfSize = 0; }

    /// The fullest moment, with what the C library keeps.
    [[nodiscard]] std::int64_t peak() const { return m_most; }
    /// Without: tensors alone.
    [[nodiscard]] std::int64_t livePeak() const { return m_mostLive; }

  private:
    Freed m_freed;
    std::int64_t m_held = 0, m_most = 0, m_mostLive = 0;
    std::int64_t m_smallOfSize = 0;  ///< the most that small pieces came to among layers of this size
    std::int64_t m_kept = 0;         ///< of earlier sizes
};

}  // namespace reelgrid::vae
