#include "core/media/damage/gif_codes.h"

#include <algorithm>

namespace reelgrid::media {

GifCodes::GifCodes(int symbolBits) : m_symbolBits(symbolBits) {
    m_areDamaged = symbolBits < 1 || symbolBits >= kMostBits;
    if (m_areDamaged) return;
    std::fill_n(m_lengths.begin(), 1 << symbolBits, 1);
    clear();
}

void GifCodes::clear() {
    m_bits = m_symbolBits + 1;
    m_next = (1 << m_symbolBits) + 2;  // behind "clear" and "end"
    m_before = -1;
}

void GifCodes::add(int byte) {
    if (m_isEnded || m_areDamaged) return;
    m_waiting |= static_cast<std::uint32_t>(byte & 0xFF) << m_waitingBits;
    m_waitingBits += 8;
    while (m_waitingBits >= m_bits && !m_isEnded && !m_areDamaged) {
        const int code = static_cast<int>(m_waiting & ((1U << m_bits) - 1));
        m_waiting >>= m_bits;
        m_waitingBits -= m_bits;
        take(code);
    }
}

void GifCodes::take(int code) {
    const int clearCode = 1 << m_symbolBits;
    if (code == clearCode) return clear();
    m_isEnded = code == clearCode + 1;
    if (m_isEnded) return;
    // The code that this one completes may be itself.
    const bool defines = m_before >= 0 && m_next < (1 << kMostBits);
    m_areDamaged = code > m_next || (code == m_next && !defines);
    if (m_areDamaged) return;
    if (defines) {
        m_lengths[std::size_t(m_next)] = m_lengths[std::size_t(m_before)] + 1;
        if (++m_next == 1 << m_bits && m_bits < kMostBits) ++m_bits;
    }
    m_pixels += m_lengths[std::size_t(code)];
    m_before = code;
}

}  // namespace reelgrid::media
