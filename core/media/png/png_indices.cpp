#include "core/media/png/png_indices.h"

#include <cstdlib>

namespace reelgrid::media {
namespace {

/// What a filter takes a byte to be by those beside it.
int predicted(std::uint8_t filter, int left, int above, int leftAbove) {
    switch (filter) {
        case 1:
            return left;
        case 2:
            return above;
        case 3:
            return (left + above) / 2;
        case 4: {  // Paeth's: the one nearest to left + above - leftAbove
            const int toLeft = std::abs(above - leftAbove), toAbove = std::abs(left - leftAbove);
            const int toLeftAbove = std::abs(left + above - 2 * leftAbove);
            if (toLeft <= toAbove && toLeft <= toLeftAbove) return left;
            return toAbove <= toLeftAbove ? above : leftAbove;
        }
        default:
            return 0;
    }
}

}  // namespace

void PngIndices::beginPass(std::uint64_t columns) {
    m_columns = columns;
    m_above.assign((columns * m_depth + 7) / 8, 0);
}

void PngIndices::take(std::span<const std::uint8_t> bytes) {
    m_row.insert(m_row.end(), bytes.begin(), bytes.end());
}

void PngIndices::endRow() {
    std::uint8_t left = 0, leftAbove = 0;
    for (std::size_t i = 0; i < m_above.size() && i + 1 < m_row.size(); ++i) {
        const std::uint8_t above = m_above[i];
        left = std::uint8_t(m_row[i + 1] + predicted(m_row[0], left, above, leftAbove));
        m_above[i] = left;
        leftAbove = above;
    }
    m_row.clear();
    look();
}

void PngIndices::look() {
    const unsigned mask = (1U << m_depth) - 1;
    for (std::uint64_t x = 0; x < m_columns && !m_lacking; ++x) {
        const std::uint64_t bit = x * m_depth;
        const unsigned index = m_above[bit / 8] >> (8 - m_depth - unsigned(bit % 8)) & mask;
        if (index >= m_colors) m_lacking = index;
    }
}

std::optional<std::string> PngIndices::fault() const {
    if (!m_lacking) return std::nullopt;
    return "has a pixel of colour " + std::to_string(*m_lacking) + ", its palette (PLTE) has 0 to " +
           std::to_string(m_colors - 1);
}

}  // namespace reelgrid::media
