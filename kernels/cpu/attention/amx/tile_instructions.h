#pragma once

// Intel's matrix tiles: eight registers of 16 rows of 64 bytes. Written out, since the compiler's intrinsics
// don't say what a tile load reads. With REELGRID_EMULATED_TILES the same names run on AVX-512, so that
// machines without tiles check everything around them. Included by AMX's own sources only.

#include <cstdint>

#if defined(REELGRID_EMULATED_TILES)
#include "kernels/cpu/attention/amx/emulated_tiles.h"
#else
#include "kernels/cpu/attention/amx/matrix_tiles.h"
#endif

namespace reelgrid::kernels::cpu {
namespace {

#if !defined(REELGRID_EMULATED_TILES)
inline void startTiles() {
    loadFullTiles();
}
inline void endTiles() {
    releaseTiles();
}
template <int Tile>
inline void zeroTile() {
    asm volatile("tilezero %%tmm%c0" ::"i"(Tile));
}
/// What it reads must have been stored before a memoryBarrier().
template <int Tile>
inline void loadTile(const void* from, std::int64_t rowBytes) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(rowBytes), "i"(Tile));
}
/// The same for what is read once or twice: the L1 cache is kept for what is read more often.
template <int Tile>
inline void loadPassingTile(const void* from, std::int64_t rowBytes) {
    asm volatile("tileloaddt1 (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(rowBytes), "i"(Tile));
}
template <int Tile>
inline void storeTile(void* to, std::int64_t rowBytes) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(rowBytes), "i"(Tile) : "memory");
}
/// c += a · b of bf16 pairs, summed in fp32.
template <int C, int A, int B>
inline void addBf16Product() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(A), "i"(B));
}
/// c += a · b of signed bytes, summed in int32.
template <int C, int A, int B>
inline void addInt8Product() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(A), "i"(B));
}
/// The same of signed bytes by unsigned ones.
template <int C, int A, int B>
inline void addSignedUnsignedProduct() {
    asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(A), "i"(B));
}
#endif

/// Keeps the compiler from moving reads and writes of memory past it.
inline void memoryBarrier() {
    asm volatile("" ::: "memory");
}

}  // namespace
}  // namespace reelgrid::kernels::cpu
