#include "core/media/png_rows.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/media/png_chunks.h"

namespace reelgrid::media {
namespace {

constexpr std::size_t kHeaderBytes = 13;
constexpr std::uint64_t kMostSide = 0x7FFFFFFF;

/// Samples a pixel, by colour type; 0: there is no such type.
constexpr std::array<std::uint64_t, 7> kSamples{1, 0, 3, 1, 2, 0, 4};

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

/// Rows of one length, in bytes, the one that names their filter among them.
struct EqualRows {
    std::uint64_t bytes, count;
};

/// In the order in which they lie there; none of a header that can't be.
std::vector<EqualRows> rowsOf(std::string_view header) {
    if (header.size() < kHeaderBytes) return {};
    const std::uint64_t width = bigEndian(header.substr(0, 4)), height = bigEndian(header.substr(4, 4));
    const auto depth = static_cast<unsigned char>(header[8]), color = static_cast<unsigned char>(header[9]);
    if (width > kMostSide || height > kMostSide || color >= kSamples.size()) return {};
    const std::uint64_t bits = depth * kSamples[color];
    const std::span<const PngPass> passes = header[12] == 0 ? std::span<const PngPass>(kWhole) : kAdam7;
    std::vector<EqualRows> rows;
    for (const PngPass& pass : passes) {
        const std::uint64_t columns = countFrom(pass.firstColumn, pass.columns, width);
        const std::uint64_t count = countFrom(pass.firstRow, pass.rows, height);
        if (columns > 0 && count > 0) rows.push_back({1 + (columns * bits + 7) / 8, count});
    }
    return rows;
}

/// Looks at the rows that a zlib stream in pieces unpacks to.
class UnpackedRows {
  public:
    explicit UnpackedRows(std::vector<EqualRows> needed) : m_needed(std::move(needed)) {
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
        return areAll() ? std::nullopt : std::optional<std::string>("ends before the last row");
    }

  private:
    [[nodiscard]] bool areAll() const { return m_at == m_needed.size(); }
    [[nodiscard]] bool isDone() const { return m_wrongFilter || areAll(); }

    void look(std::span<const Bytef> block) {
        while (!block.empty() && !isDone()) {
            constexpr Bytef kLastFilter = 4;
            const EqualRows& rows = m_needed[m_at];
            if (m_inRow == 0 && block[0] > kLastFilter) m_wrongFilter = block[0];
            const std::uint64_t step = std::min<std::uint64_t>(block.size(), rows.bytes - m_inRow);
            block = block.subspan(step);
            m_inRow += step;
            if (m_inRow < rows.bytes) return;
            m_inRow = 0;
            if (++m_row == rows.count) {
                m_row = 0;
                ++m_at;
            }
        }
    }

    std::vector<EqualRows> m_needed;
    std::size_t m_at = 0;  ///< of m_needed
    std::uint64_t m_row = 0, m_inRow = 0;
    std::optional<int> m_wrongFilter;
    z_stream m_stream{};
    bool m_isOpen = false;
    std::array<Bytef, std::size_t{64} << 10> m_block{};
};

}  // namespace

std::optional<std::string> faultOfPngRows(std::string_view png) {
    std::unique_ptr<UnpackedRows> unpacked;
    forEachPngChunk(png, [&](const PngChunk& chunk) {
        if (chunk.type == "IHDR" && !unpacked) {
            std::vector<EqualRows> needed = rowsOf(chunk.data);
            if (needed.empty()) return false;
            unpacked = std::make_unique<UnpackedRows>(std::move(needed));
        }
        return chunk.type != "IDAT" || (unpacked && unpacked->take(chunk.data));
    });
    return unpacked ? unpacked->fault() : "has no rows";
}

}  // namespace reelgrid::media
