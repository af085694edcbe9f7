#pragma once

// Hopper's warpgroup products of int8 with int32 accumulators, which lie as wgmma.cuh says. A comes from
// registers, four neighbours along the summed index in each; B from shared memory, K-major, as core matrices
// of 8 rows by 16 bytes (128 bytes each) without a swizzle.

#include "kernels/cuda/attention/wgmma.cuh"

namespace reelgrid::kernels::cuda::hopper {

/// Core matrices of kHeadDim / 16 along the summed index, then those of the next eight rows.
template <int kHeadDim>
__device__ inline std::uint64_t coreMatricesOperand(const void* tile) {
    return (sharedAddress(tile) & 0x3FFFFU) >> 4 | std::uint64_t{128 >> 4} << 16 |
           std::uint64_t{8 * kHeadDim >> 4} << 32;
}

/// Products with kColumns columns, 32 summed.
template <int kColumns>
struct Int8Product;

#define RG_TEN(t) \
    "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define RG_R8(d, i)                                                                             \
    "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]), "+r"(d[i + 4]), "+r"(d[i + 5]), \
        "+r"(d[i + 6]), "+r"(d[i + 7])
#define RG_R32(d, i) RG_R8(d, i), RG_R8(d, i + 8), RG_R8(d, i + 16), RG_R8(d, i + 24)

// `add` 0 starts the sums anew.
#define RG_INT8_PRODUCT(N, LIST, N0, N1, N2, ...)                                                           \
    template <>                                                                                             \
    struct Int8Product<N> {                                                                                 \
        __device__ static void rowsByRows(std::uint32_t (&d)[N / 2], std::uint64_t a, std::uint64_t b,      \
                                          int add) {                                                        \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #N2                                           \
                         ", 0;\n"                                                                           \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k32.s32.s8.s8 {" LIST "}, %" #N0 ", %" #N1 \
                         ", p;\n}"                                                                          \
                         : __VA_ARGS__                                                                      \
                         : "l"(a), "l"(b), "r"(add));                                                       \
        }                                                                                                   \
    };

RG_INT8_PRODUCT(64, RG_TEN() RG_TEN(1) RG_TEN(2) "%30, %31", 32, 33, 34, RG_R32(d, 0))
RG_INT8_PRODUCT(128, RG_TEN() RG_TEN(1) RG_TEN(2) RG_TEN(3) RG_TEN(4) RG_TEN(5) "%60, %61, %62, %63", 64, 65,
                66, RG_R32(d, 0), RG_R32(d, 32))

#undef RG_INT8_PRODUCT
#undef RG_R32
#undef RG_R8
#undef RG_TEN

}  // namespace reelgrid::kernels::cuda::hopper
