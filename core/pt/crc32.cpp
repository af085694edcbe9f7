#include "core/pt/crc32.h"

#include <array>
#include <bit>
#include <cstring>

namespace reelgrid::pt {
namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320;
/// Eight bytes at a time: about 2 GB/s, where one at a time would take longer than the disk does.
constexpr std::size_t kSlices = 8;

using Table = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Table makeTable() {
    Table table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
        table[0][byte] = rest;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t rest = table[slice - 1][byte];
            table[slice][byte] = (rest >> 8) ^ table[0][rest & 0xFF];
        }
    return table;
}

constexpr Table kTable = makeTable();
/// Of polynomials over GF(2), modulo the checksum's; the highest bit is x⁰.
constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
    std::uint32_t sum = 0;
    for (std::uint32_t bit = 0x80000000; bit != 0; bit >>= 1) {
        if ((a & bit) != 0) sum ^= b;
        b = (b >> 1) ^ ((b & 1) != 0 ? kPolynomial : 0);
    }
    return sum;
}

static_assert(std::endian::native == std::endian::little, "the bytes of a word are taken lowest first");

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t rest = 0xFFFFFFFF;
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= kSlices; left -= kSlices, at += kSlices) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        word ^= rest;
        rest = 0;
        for (std::size_t slice = 0; slice < kSlices; ++slice)
            rest ^= kTable[kSlices - 1 - slice][(word >> (8 * slice)) & 0xFF];
    }
    for (; left > 0; --left, ++at) rest = (rest >> 8) ^ kTable[0][(rest ^ std::uint8_t(*at)) & 0xFF];
    return ~rest;
}

std::uint32_t crc32Joined(std::uint32_t first, std::uint32_t second, std::uint64_t length) {
    std::uint32_t power = 0x00800000, shift = 0x80000000;  // x⁸, of a byte, and x⁰
    for (; length != 0; length >>= 1) {
        if ((length & 1) != 0) shift = product(shift, power);
        power = product(power, power);
    }
    return product(shift, first) ^ second;
}

}  // namespace reelgrid::pt
