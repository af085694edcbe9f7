#include "core/media/png_rows.h"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

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

/// Of all rows, each with the byte that names its filter; 0 of a header that can't be.
std::uint64_t rowBytesOf(std::string_view header) {
    if (header.size() < kHeaderBytes) return 0;
    const std::uint64_t width = bigEndian(header.substr(0, 4)), height = bigEndian(header.substr(4, 4));
    const auto depth = static_cast<unsigned char>(header[8]), color = static_cast<unsigned char>(header[9]);
    if (width > kMostSide || height > kMostSide || color >= kSamples.size()) return 0;
    const std::uint64_t bits = depth * kSamples[color];
    const std::span<const PngPass> passes = header[12] == 0 ? std::span<const PngPass>(kWhole) : kAdam7;
    std::uint64_t bytes = 0;
    for (const PngPass& pass : passes) {
        const std::uint64_t columns = countFrom(pass.firstColumn, pass.columns, width);
        if (columns > 0)
            bytes += countFrom(pass.firstRow, pass.rows, height) * (1 + (columns * bits + 7) / 8);
    }
    return bytes;
}

/// Counts what a zlib stream in pieces unpacks to.
class UnpackedBytes {
  public:
    explicit UnpackedBytes(std::uint64_t needed) : m_needed(needed) {
        m_isOpen = inflateInit(&m_stream) == Z_OK;
    }
    UnpackedBytes(const UnpackedBytes&) = delete;
    UnpackedBytes& operator=(const UnpackedBytes&) = delete;
    ~UnpackedBytes() {
        if (m_isOpen) inflateEnd(&m_stream);
    }

    /// False once no more are needed, or can be had.
    bool take(std::string_view piece) {
        m_stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
        m_stream.avail_in = uInt(piece.size());
        while (m_isOpen && m_stream.avail_in > 0 && m_count < m_needed) {
            m_stream.next_out = m_block.data();
            m_stream.avail_out = uInt(m_block.size());
            const int status = inflate(&m_stream, Z_NO_FLUSH);
            m_count += m_block.size() - m_stream.avail_out;
            if (status != Z_OK) return false;
        }
        return m_isOpen && m_count < m_needed;
    }
    [[nodiscard]] bool areAll() const { return m_count >= m_needed; }

  private:
    std::uint64_t m_needed, m_count = 0;
    z_stream m_stream{};
    bool m_isOpen = false;
    std::array<Bytef, std::size_t{64} << 10> m_block{};
};

}  // namespace

bool hasAllPngRows(std::string_view png) {
    std::unique_ptr<UnpackedBytes> unpacked;
    forEachPngChunk(png, [&](const PngChunk& chunk) {
        if (chunk.type == "IHDR" && !unpacked) {
            const std::uint64_t needed = rowBytesOf(chunk.data);
            if (needed == 0) return false;
            unpacked = std::make_unique<UnpackedBytes>(needed);
        }
        return chunk.type != "IDAT" || (unpacked && unpacked->take(chunk.data));
    });
    return unpacked && unpacked->areAll();
}

}  // namespace reelgrid::media
