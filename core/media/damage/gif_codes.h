#pragma once

#include <array>
#include <cstdint>

namespace reelgrid::media {

/// Counts the pixels that the codes of a GIF's picture stand for, without making them (GIF89a, appendix F):
/// a decoder leaves those out that damaged codes don't tell, and says nothing.
class GifCodes {
  public:
    /// `symbolBits`: as the picture says it, before its codes.
    explicit GifCodes(int symbolBits);
    /// The next byte of the picture's blocks.
    void add(int byte);
    [[nodiscard]] std::int64_t pixels() const { return m_pixels; }
    /// The code that ends the picture came.
    [[nodiscard]] bool isEnded() const { return m_isEnded; }
    /// A code came that has no meaning yet; nothing behind it counts.
    [[nodiscard]] bool areDamaged() const { return m_areDamaged; }

  private:
    static constexpr int kMostBits = 12;
    void take(int code);
    void clear();

    std::array<std::int32_t, 1 << kMostBits> m_lengths{};  ///< pixels of a code
    int m_symbolBits;
    int m_bits = 0, m_next = 0;  ///< of a code; the code that is defined next
    int m_before = -1;           ///< the code before; −1 after a clear code
    std::uint32_t m_waiting = 0;
    int m_waitingBits = 0;
    std::int64_t m_pixels = 0;
    bool m_isEnded = false, m_areDamaged = false;
};

}  // namespace reelgrid::media
