#pragma once

// Intel's matrix tiles (AMX: TILE, BF16, INT8) under AVX-512 lanes. Included by attention_amx.cpp only.
//
// A tile is 16 rows of 64 bytes. Both products of attention fit without a turn: A is K row by row or Vᵀ, B is
// the packed queries or P (16 units deep, 16 lanes wide), C is Sᵀ or Oᵀ where the tile has them in memory.

#include <immintrin.h>

#include "kernels/cpu/attention/lanes_avx512.h"
#include "kernels/cpu/attention/matrix_tiles.h"

namespace reelgrid::kernels::cpu {
namespace {

struct Amx : Avx512 {
    static constexpr InstructionSet kSet = InstructionSet::Amx;
    static constexpr bool kTiled = true;
    /// Rows (keys of Sᵀ, dimensions of Oᵀ) of a product at a time: two tiles.
    static constexpr int kRows = 32;
    /// Tiles of queries that walk the keys side by side: the products are so fast that fetching K and V for
    /// one tile alone would take longer.
    static constexpr int kTilesTogether = 4;
};

// Tiles 0 … 5 are C, two rows of up to three; 6 is A and 7 is B.

/// Two bf16 a unit.
struct AmxBf16 : Bf16Pairs {
    template <int Row, int Col>
    static void dot() {
        asm volatile("tdpbf16ps %%tmm7, %%tmm6, %%tmm%c0" ::"i"(3 * Row + Col));
    }
};

/// Four int8 a unit, both signed: sums start from 0.
struct AmxInt8 : Int8Quads {
    template <int Row, int Col>
    static void dot() {
        asm volatile("tdpbssd %%tmm7, %%tmm6, %%tmm%c0" ::"i"(3 * Row + Col));
    }
    static void encodeQuery(const std::int32_t* integers, int n, std::uint32_t* units) {
        encodeBytes(integers, n, 0, units);
    }
    static std::int32_t encodeKey(const std::int32_t* integers, int n, std::uint32_t* units) {
        encodeBytes(integers, n, 0, units);
        return 0;
    }
};

/// Where a matrix A of 32 rows lies: rows `rowPitch` units apart, its next 16 columns `depthPitch` units on.
struct TileRows {
    const std::uint32_t* units;
    std::int64_t rowPitch;
    std::int64_t depthPitch;
};

/// c[32][Cols · 16] = (add ? c : 0) + a · b over `depth` times 16 units; b and c have Cols · 16 lanes a row.
template <class Arithmetic, int Cols>
inline void multiplyTiles(const TileRows& a, const std::uint32_t* b, int depth, void* c, bool add) {
    // The intrinsics don't say what a tile load reads: everything must be in memory by now.
    asm volatile("" ::: "memory");
    constexpr std::int64_t kPitch = Cols * 16;
    constexpr std::int64_t kRowBytes = kPitch * 4;
    char* upper = static_cast<char*>(c);
    char* lower = upper + 16 * kRowBytes;
    _tile_zero(0);
    _tile_zero(3);
    if (add) {
        _tile_loadd(0, upper, kRowBytes);
        _tile_loadd(3, lower, kRowBytes);
    }
    if constexpr (Cols > 1) {
        _tile_zero(1);
        _tile_zero(4);
        if (add) {
            _tile_loadd(1, upper + 64, kRowBytes);
            _tile_loadd(4, lower + 64, kRowBytes);
        }
    }
    if constexpr (Cols > 2) {
        _tile_zero(2);
        _tile_zero(5);
        if (add) {
            _tile_loadd(2, upper + 128, kRowBytes);
            _tile_loadd(5, lower + 128, kRowBytes);
        }
    }
    for (int t = 0; t < depth; ++t) {
        const std::uint32_t* rows = a.units + t * a.depthPitch;
        const std::uint32_t* lanes = b + t * 16 * kPitch;
        _tile_loadd(6, rows, a.rowPitch * 4);
        _tile_loadd(7, lanes, kRowBytes);
        Arithmetic::template dot<0, 0>();
        if constexpr (Cols > 1) {
            _tile_loadd(7, lanes + 16, kRowBytes);
            Arithmetic::template dot<0, 1>();
        }
        if constexpr (Cols > 2) {
            _tile_loadd(7, lanes + 32, kRowBytes);
            Arithmetic::template dot<0, 2>();
        }
        // Back from the last column, which is still there.
        _tile_loadd(6, rows + 16 * a.rowPitch, a.rowPitch * 4);
        Arithmetic::template dot<1, Cols - 1>();
        if constexpr (Cols > 2) {
            _tile_loadd(7, lanes + 16, kRowBytes);
            Arithmetic::template dot<1, 1>();
        }
        if constexpr (Cols > 1) {
            _tile_loadd(7, lanes, kRowBytes);
            Arithmetic::template dot<1, 0>();
        }
    }
    _tile_stored(0, upper, kRowBytes);
    _tile_stored(3, lower, kRowBytes);
    if constexpr (Cols > 1) {
        _tile_stored(1, upper + 64, kRowBytes);
        _tile_stored(4, lower + 64, kRowBytes);
    }
    if constexpr (Cols > 2) {
        _tile_stored(2, upper + 128, kRowBytes);
        _tile_stored(5, lower + 128, kRowBytes);
    }
}

}  // namespace
}  // namespace reelgrid::kernels::cpu
