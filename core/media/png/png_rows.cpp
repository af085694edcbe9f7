#include "core/media/png/png_rows.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/media/png/png_chunks.h"
#include "core/media/png/png_header.h"
#include "core/media/png/png_indices.h"
#include "core/media/png/png_palette.h"

namespace reelgrid::media {
namespace {

constexpr std::uint64_t kMostSide = 0x7FFFFFFF;

/// Every how many-th column and row belongs to a pass, from which on: Adam7.
struct PngPass {
    std::uint64_t firstColumn, firstRow, columns, rows;
};
constexpr std::array kWhole{PngPass{0, 0, 1, 1}};
constexpr std::array kAdam7{PngPass{0, 0, 8, 8}, PngPass{4, 0, 8, 8}, PngPass{0, 4, 4, 8},
                            PngPass{2, 0, 4, 4}, PngPass{0, 2, 2, 4}, PngPass{1, 0, 2, 2},
                            PngPass{0, 1, 1, 2}};

std::uint64_t countFrom(std::uint64_t first, std::uint64_t every, std::uint64_t size) {
    return size <= first ? 0 : (size - first + every - 1) / every;
}

/// Rows of so many pixels, and of so many bytes, the one that names their filter among them.
struct EqualRows {
    std::uint64_t columns, bytes, count;
};

/// In the order in which they lie there; none of a header that can't be.
std::vector<EqualRows> rowsOf(const PngHeader& header) {
    const std::uint64_t bits = header.pixelBits();
    if (header.width > kMostSide || header.height > kMostSide || bits == 0) return {};
    const std::span<const PngPass> passes = header.interlace == 0 ? std::span<const PngPass>(kWhole) : kAdam7;
    std::vector<EqualRows> rows;
    for (const PngPass& pass : passes) {
        const std::uint64_t columns = countFrom(pass.firstColumn, pass.columns, header.width);
        const std::uint64_t count = countFrom(pass.firstRow, pass.rows, header.height);
        if (columns > 0 && count > 0) rows.push_back({columns, 1 + (columns * bits + 7) / 8, count});
    }
    return rows;
}

/// Of a picture with a palette that can't have all colours that its pixels may name.
std::optional<PngIndices> indicesOf(std::string_view png, const PngHeader& header) {
    if (!header.isIndexed() || header.fault()) return std::nullopt;
    const PngPalette palette = pngPaletteOf(png);
    const std::size_t possible = std::size_t{1} << unsigned(header.depth);
    if (palette.fault || palette.colors >= possible) return std::nullopt;
    return PngIndices(header.depth, palette.colors);
}

/// Looks at the rows that a zlib stream in pieces unpacks to.
class UnpackedRows {
  public:
    UnpackedRows(std::vector<EqualRows> needed, std::optional<PngIndices> indices)
        : m_needed(std::move(needed)), m_indices(std::move(indices)) {
        m_isOpen = inflateInit(&m_stream) == Z_OK;
    }
    UnpackedRows(const UnpackedRows&) = delete;
    UnpackedRows& operator=(const UnpackedRows&) = delete;
    ~UnpackedRows() {
        if (m_isOpen) inflateEnd(&m_stream);
    }

    /// False once no more are needed, or can be had.
    bool take(std::string_view piece) {
        m_stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
        m_stream.avail_in = uInt(piece.size());
        while (m_isOpen && m_stream.avail_in > 0 && !isDone()) {
            m_stream.next_out = m_block.data();
            m_stream.avail_out = uInt(m_block.size());
            const int status = inflate(&m_stream, Z_NO_FLUSH);
            look(std::span(m_block).first(m_block.size() - m_stream.avail_out));
            if (status != Z_OK) return false;
        }
        return m_isOpen && !isDone();
    }
    [[nodiscard]] std::optional<std::string> fault() const {
        if (m_wrongFilter)
            return "has a row with filter " + std::to_string(*m_wrongFilter) + ", 0 to 4 was needed";
        if (auto lacking = lackingColor()) return lacking;
        return areAll() ? std::nullopt : std::optional<std::string>("ends before the last row");
    }

  private:
    [[nodiscard]] bool areAll() const { return m_at == m_needed.size(); }
    [[nodiscard]] bool isDone() const { return m_wrongFilter || areAll() || lackingColor(); }
    [[nodiscard]] std::optional<std::string> lackingColor() const {
        return m_indices ? m_indices->fault() : std::nullopt;
    }

    void look(std::span<const Bytef> block) {
        while (!block.empty() && !isDone()) {
            constexpr Bytef kLastFilter = 4;
            const EqualRows& rows = m_needed[m_at];
            if (m_inRow == 0 && block[0] > kLastFilter) m_wrongFilter = block[0];
            const std::uint64_t step = std::min<std::uint64_t>(block.size(), rows.bytes - m_inRow);
            if (m_indices) {
                if (m_row == 0 && m_inRow == 0) m_indices->beginPass(rows.columns);
                m_indices->take(block.first(step));
            }
            block = block.subspan(step);
            m_inRow += step;
            if (m_inRow < rows.bytes) return;
            m_inRow = 0;
            if (m_indices) m_indices->endRow();
            if (++m_row == rows.count) {
                m_row = 0;
                ++m_at;
            }
        }
    }

    std::vector<EqualRows> m_needed;
    std::size_t m_at = 0;  ///< of m_needed
    std::uint64_t m_row = 0, m_inRow = 0;
    std::optional<PngIndices> m_indices;  ///< where there are colours that a palette may lack
    std::optional<int> m_wrongFilter;
    z_stream m_stream{};
    bool m_isOpen = false;
    std::array<Bytef, std::size_t{64} << 10> m_block{};
};

}  // namespace

std::optional<std::string> faultOfPngRows(std::string_view png) {
    const auto header = pngHeaderOf(png);
    std::vector<EqualRows> needed = header ? rowsOf(*header) : std::vector<EqualRows>();
    if (needed.empty()) return "has no rows";
    const auto unpacked = std::make_unique<UnpackedRows>(std::move(needed), indicesOf(png, *header));
    forEachPngChunk(
        png, [&](const PngChunk& chunk) { return chunk.type != "IDAT" || unpacked->take(chunk.data); });
    return unpacked->fault();
}

}  // namespace reelgrid::media
