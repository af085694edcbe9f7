#pragma once

// The tile instructions of tile_instructions.h on AVX-512 with BF16: for tests on machines without tiles.
// Slow.

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace reelgrid::kernels::cpu {
namespace {

struct alignas(64) EmulatedTile {
    std::uint32_t units[16][16];
};
thread_local EmulatedTile t_tiles[8];

/// Junk, as a tile might hold that was not zeroed.
inline void startTiles() {
    std::memset(t_tiles, 0xFF, sizeof t_tiles);
}
inline void endTiles() {}

template <int Tile>
inline void zeroTile() {
    std::memset(&t_tiles[Tile], 0, sizeof(EmulatedTile));
}
template <int Tile>
inline void loadTile(const void* from, std::int64_t rowBytes) {
    for (int row = 0; row < 16; ++row)
        std::memcpy(t_tiles[Tile].units[row], static_cast<const char*>(from) + row * rowBytes, 64);
}
template <int Tile>
inline void loadPassingTile(const void* from, std::int64_t rowBytes) {
    loadTile<Tile>(from, rowBytes);
}
template <int Tile>
inline void storeTile(void* to, std::int64_t rowBytes) {
    for (int row = 0; row < 16; ++row)
        std::memcpy(static_cast<char*>(to) + row * rowBytes, t_tiles[Tile].units[row], 64);
}
template <int C, int A, int B>
inline void addBf16Product() {
    for (int row = 0; row < 16; ++row) {
        __m512 sum = _mm512_loadu_ps(t_tiles[C].units[row]);
        for (int k = 0; k < 16; ++k) {
            const __m512i a = _mm512_set1_epi32(static_cast<int>(t_tiles[A].units[row][k]));
            const __m512i b = _mm512_loadu_si512(t_tiles[B].units[k]);
            sum = _mm512_dpbf16_ps(sum, reinterpret_cast<const __m512bh&>(a),
                                   reinterpret_cast<const __m512bh&>(b));
        }
        _mm512_storeu_ps(t_tiles[C].units[row], sum);
    }
}
template <int C, int A, int B, class Factor>
inline void addByteProduct() {
    for (int row = 0; row < 16; ++row)
        for (int k = 0; k < 16; ++k)
            for (int n = 0; n < 16; ++n)
                for (int i = 0; i < 4; ++i) {
                    const int a = static_cast<std::int8_t>(t_tiles[A].units[row][k] >> (8 * i));
                    const int b = static_cast<Factor>(t_tiles[B].units[k][n] >> (8 * i));
                    t_tiles[C].units[row][n] += static_cast<std::uint32_t>(a * b);
                }
}
template <int C, int A, int B>
inline void addInt8Product() {
    addByteProduct<C, A, B, std::int8_t>();
}
template <int C, int A, int B>
inline void addSignedUnsignedProduct() {
    addByteProduct<C, A, B, std::uint8_t>();
}

}  // namespace
}  // namespace reelgrid::kernels::cpu
