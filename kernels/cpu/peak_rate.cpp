#include "kernels/cpu/peak_rate.h"

#include <algorithm>
#include <chrono>

#include "kernels/cpu/attention/amx/matrix_tiles.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::kernels::cpu {
namespace {

constexpr long kTurns = 100'000;
constexpr int kSums = 12;  // enough to hide the latency of a multiply-add

#if defined(REELGRID_X86_KERNELS)
// Written out, so that no compiler removes or reorders what is being measured. Sums in registers 0 … 11.
#define REELGRID_TWELVE(code) \
    code(0) code(1) code(2) code(3) code(4) code(5) code(6) code(7) code(8) code(9) code(10) code(11)
#define REELGRID_CLOBBERS                                                                             \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
        "xmm14", "xmm15"
#define REELGRID_FMA256(n) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #n "\n"
#define REELGRID_FMA512(n) "vfmadd231ps %%zmm14, %%zmm15, %%zmm" #n "\n"
#define REELGRID_BF16(n) "vdpbf16ps %%zmm14, %%zmm15, %%zmm" #n "\n"
#define REELGRID_INT8(n) "vpdpbusd %%zmm14, %%zmm15, %%zmm" #n "\n"

void fma256() {
    for (long i = 0; i < kTurns; ++i) asm volatile(REELGRID_TWELVE(REELGRID_FMA256)::: REELGRID_CLOBBERS);
}
void fma512() {
    for (long i = 0; i < kTurns; ++i) asm volatile(REELGRID_TWELVE(REELGRID_FMA512)::: REELGRID_CLOBBERS);
}
void bf16() {
    for (long i = 0; i < kTurns; ++i) asm volatile(REELGRID_TWELVE(REELGRID_BF16)::: REELGRID_CLOBBERS);
}
void int8() {
    for (long i = 0; i < kTurns; ++i) asm volatile(REELGRID_TWELVE(REELGRID_INT8)::: REELGRID_CLOBBERS);
}

// Matrix tiles: sums in tiles 0 … 5, twice over.
#define REELGRID_TILE_BF16(n) "tdpbf16ps %%tmm7, %%tmm6, %%tmm" #n "\n"
#define REELGRID_TILE_INT8(n) "tdpbssd %%tmm7, %%tmm6, %%tmm" #n "\n"
#define REELGRID_SIX(code) code(0) code(1) code(2) code(3) code(4) code(5)

void tileBf16() {
    loadFullTiles();
    for (long i = 0; i < kTurns; ++i)
        asm volatile(REELGRID_SIX(REELGRID_TILE_BF16) REELGRID_SIX(REELGRID_TILE_BF16)::);
    releaseTiles();
}
void tileInt8() {
    loadFullTiles();
    for (long i = 0; i < kTurns; ++i)
        asm volatile(REELGRID_SIX(REELGRID_TILE_INT8) REELGRID_SIX(REELGRID_TILE_INT8)::);
    releaseTiles();
}
void clearRegisters() {
    asm volatile("vzeroall" ::: REELGRID_CLOBBERS);  // also the upper parts; no denormals, no NaNs
}
#endif

struct Loop {
    void (*run)() = nullptr;
    double operationsPerInstruction = 0;
};

Loop loopOf(PeakOf what, InstructionSet set) {
#if defined(REELGRID_X86_KERNELS)
    if (set == InstructionSet::Amx && what != PeakOf::Fp32)
        return what == PeakOf::Bf16 ? Loop{&tileBf16, 2 * 16 * 16 * 32} : Loop{&tileInt8, 2 * 16 * 16 * 64};
    if (set >= InstructionSet::Avx512) {
        if (what == PeakOf::Fp32) return {&fma512, 32};
        return what == PeakOf::Bf16 ? Loop{&bf16, 64} : Loop{&int8, 128};
    }
    if (set == InstructionSet::Avx2 && what == PeakOf::Fp32) return {&fma256, 16};
#endif
    static_cast<void>(what);
    static_cast<void>(set);
    return {};
}

}  // namespace

double measurePeakRate(PeakOf what, int threads) {
    const Loop loop = loopOf(what, selectedInstructionSet());
    if (loop.run == nullptr) return 0;
    double best = 1e9;
    for (int attempt = 0; attempt < 20; ++attempt) {
        const auto start = std::chrono::steady_clock::now();
#pragma omp parallel num_threads(threads)
        {
#if defined(REELGRID_X86_KERNELS)
            clearRegisters();
#endif
            loop.run();
        }
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return static_cast<double>(kTurns) * kSums * loop.operationsPerInstruction * threads / best;
}

}  // namespace reelgrid::kernels::cpu
