#pragma once

// Hopper's warpgroup products of bytes: int8 with int32 accumulators, e4m3 with fp32 ones (of which the
// hardware keeps too few bits for sums of many tiles: they are to be taken up elsewhere). Both operands are
// K-major. In shared memory they lie as core matrices of 8 rows by 16 bytes, 128 bytes each, without a
// swizzle. The accumulators lie as wgmma.cuh says; a register of A holds four neighbours along the summed
// index, so what lies in the accumulators' columns 8j + 2 (t % 4) is A's at other places: see e4m3.cuh.

#include "kernels/cuda/attention/hopper/wgmma.cuh"

namespace reelgrid::kernels::cuda::device::hopper {

/// `nextK` bytes to the core matrix of the next 16 of the summed index, `nextRows` to that of the next 8
/// rows.
__device__ inline std::uint64_t bytesOperand(const void* tile, std::uint32_t nextK, std::uint32_t nextRows) {
    return (sharedAddress(tile) & 0x3FFFFU) >> 4 | std::uint64_t{nextK >> 4} << 16 |
           std::uint64_t{nextRows >> 4} << 32;
}

template <int kCount>
__device__ inline void pin(std::int32_t (&values)[kCount]) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) asm volatile("" : "+r"(values[i])::"memory");
}

/// Products of bytes with kColumns columns, 32 summed.
template <int kColumns>
struct ByteProduct;

#define RG_TEN(t) \
    "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define RG_8(c, d, i) \
    c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3]), c(d[i + 4]), c(d[i + 5]), c(d[i + 6]), c(d[i + 7])
#define RG_16(c, d, i) RG_8(c, d, i), RG_8(c, d, i + 8)
#define RG_32(c, d, i) RG_16(c, d, i), RG_16(c, d, i + 16)
#define RG_48(c, d, i) RG_32(c, d, i), RG_16(c, d, i + 32)
#define RG_64(c, d, i) RG_32(c, d, i), RG_32(c, d, i + 32)
#define RG_80(c, d, i) RG_64(c, d, i), RG_16(c, d, i + 64)
#define RG_FLOAT "+f"
#define RG_INT "+r"

// A from shared memory (`add` 0 starts the sums anew), or from registers.
#define RG_BYTE_PRODUCT(N, LIST, N0, N1, N2, N3, N4, N5, REGISTERS)                                         \
    template <>                                                                                             \
    struct ByteProduct<N> {                                                                                 \
        __device__ static void rowsByRows(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, int add) {   \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #N2                                           \
                         ", 0;\n"                                                                           \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k32.f32.e4m3.e4m3 {" LIST "}, %" #N0       \
                         ", %" #N1 ", p, 1, 1;\n}"                                                          \
                         : REGISTERS(RG_FLOAT, d, 0)                                                        \
                         : "l"(a), "l"(b), "r"(add));                                                       \
        }                                                                                                   \
        __device__ static void rowsByRows(std::int32_t (&d)[N / 2], std::uint64_t a, std::uint64_t b,       \
                                          int add) {                                                        \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #N2                                           \
                         ", 0;\n"                                                                           \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k32.s32.s8.s8 {" LIST "}, %" #N0 ", %" #N1 \
                         ", p;\n}"                                                                          \
                         : REGISTERS(RG_INT, d, 0)                                                          \
                         : "l"(a), "l"(b), "r"(add));                                                       \
        }                                                                                                   \
        __device__ static void registersByRows(float (&d)[N / 2], const std::uint32_t* a, std::uint64_t b,  \
                                               int add) {                                                   \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #N5                                           \
                         ", 0;\n"                                                                           \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k32.f32.e4m3.e4m3 {" LIST "}, {%" #N0      \
                         ", %" #N1 ", %" #N2 ", %" #N3 "}, %" #N4 ", p, 1, 1;\n}"                           \
                         : REGISTERS(RG_FLOAT, d, 0)                                                        \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));                   \
        }                                                                                                   \
    };

RG_BYTE_PRODUCT(64, RG_TEN() RG_TEN(1) RG_TEN(2) "%30, %31", 32, 33, 34, 35, 36, 37, RG_32)
RG_BYTE_PRODUCT(96, RG_TEN() RG_TEN(1) RG_TEN(2) RG_TEN(3) "%40, %41, %42, %43, %44, %45, %46, %47", 48, 49,
                50, 51, 52, 53, RG_48)
RG_BYTE_PRODUCT(128, RG_TEN() RG_TEN(1) RG_TEN(2) RG_TEN(3) RG_TEN(4) RG_TEN(5) "%60, %61, %62, %63", 64, 65,
                66, 67, 68, 69, RG_64)
RG_BYTE_PRODUCT(160,
                RG_TEN() RG_TEN(1) RG_TEN(2) RG_TEN(3) RG_TEN(4) RG_TEN(5)
                    RG_TEN(6) "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79",
                80, 81, 82, 83, 84, 85, RG_80)

#undef RG_BYTE_PRODUCT
#undef RG_INT
#undef RG_FLOAT
#undef RG_80
#undef RG_64
#undef RG_48
#undef RG_32
#undef RG_16
#undef RG_8
#undef RG_TEN

}  // namespace reelgrid::kernels::cuda::device::hopper
