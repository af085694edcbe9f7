#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace reelgrid::media {

/// Undoes the filters (ISO/IEC 15948, 9.2) of a PNG's rows whose pixels are numbers of a palette's colours,
/// and looks for one that the palette doesn't have: decoders make it black.
class PngIndices {
  public:
    /// `depth`: bits of a pixel, 1 to 8; `colors`: that the palette has.
    PngIndices(int depth, std::size_t colors) : m_depth(unsigned(depth)), m_colors(colors) {}

    /// The rows that follow are of so many pixels; none is above the first.
    void beginPass(std::uint64_t columns);
    /// The next bytes of a row, which begins with the one that names its filter.
    void take(std::span<const std::uint8_t> bytes);
    void endRow();

    /// As the end of a message; nothing where the palette has all so far.
    [[nodiscard]] std::optional<std::string> fault() const;

  private:
    void look();

    unsigned m_depth;
    std::size_t m_colors;
    std::uint64_t m_columns = 0;
    std::vector<std::uint8_t> m_row;    ///< as it is stored
    std::vector<std::uint8_t> m_above;  ///< the last one, its filter undone
    std::optional<unsigned> m_lacking;
};

}  // namespace reelgrid::media
