#pragma once

// Hopper's warpgroup products: D += A B with 64 rows of A, fp32 accumulators in registers, sixteen-bit
// operands (bytes: wgmma_bytes.cuh). A tile of shared memory is rows of 128 bytes (64 elements), swizzled as
// the tensor copies write them; wider matrices are several such tiles. Thread t of the warpgroup holds rows t
// / 4 % 8 + 16 (t / 32) and 8 further, and of every eight columns 2 (t % 4) and the next: d[4j], d[4j + 1] of
// the first row, d[4j + 2], d[4j + 3] of the second.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/attention/hopper/hopper_memory.cuh"

namespace reelgrid::kernels::cuda::device::hopper {

/// What the tensor cores are told of an operand in shared memory, 1024-byte aligned tiles with a 128-byte
/// swizzle. K-major (the summed index contiguous): groups of eight rows follow each other.
__device__ inline std::uint64_t rowsOperand(const void* tile) {
    return (sharedAddress(tile) & 0x3FFFFU) >> 4 | std::uint64_t{1} << 16 | std::uint64_t{1024 >> 4} << 32 |
           std::uint64_t{1} << 62;
}
/// MN-major (the summed index counts rows of 128 bytes): the next 64 columns lie `tileBytes` further.
__device__ inline std::uint64_t columnsOperand(const void* tile, std::uint32_t tileBytes) {
    return (sharedAddress(tile) & 0x3FFFFU) >> 4 | std::uint64_t{tileBytes >> 4} << 16 |
           std::uint64_t{1024 >> 4} << 32 | std::uint64_t{1} << 62;
}
/// The operand `bytes` further.
__device__ constexpr std::uint64_t advanced(std::uint64_t operand, std::uint32_t bytes) {
    return operand + (bytes >> 4);
}

/// Before the first product that reads registers written by other instructions.
__device__ inline void fenceProducts() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void commitProducts() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Until at most kPending committed groups are under way.
template <int kPending>
__device__ inline void waitProducts() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
/// Keeps the compiler from moving uses of a product's registers across this point.
template <int kCount>
__device__ inline void pin(float (&values)[kCount]) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(values[i])::"memory");
}
template <int kCount>
__device__ inline void pin(std::uint32_t (&values)[kCount]) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) asm volatile("" : "+r"(values[i])::"memory");
}

/// Products with kColumns columns.
template <int kColumns>
struct Product;

#define RG_TEN(t) \
    "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define RG_F8(d, i)                                                                             \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define RG_F16(d, i) RG_F8(d, i), RG_F8(d, i + 8)
#define RG_F32(d, i) RG_F16(d, i), RG_F16(d, i + 16)
#define RG_F64(d, i) RG_F32(d, i), RG_F32(d, i + 32)

// A from shared memory and B both K-major (`add` 0 starts the sums anew); A from registers and B MN-major.
#define RG_PRODUCT(N, TYPE, ELEMENT, LIST, N0, N1, N2, N3, N4, N5, ...)                                    \
    __device__ static void rowsByRows(ELEMENT, float(&d)[N / 2], std::uint64_t a, std::uint64_t b,         \
                                      int add) {                                                           \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #N2                                              \
                     ", 0;\n"                                                                              \
                     "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" LIST "}, %" #N0  \
                     ", %" #N1 ", p, 1, 1, 0, 0;\n}"                                                       \
                     : __VA_ARGS__                                                                         \
                     : "l"(a), "l"(b), "r"(add));                                                          \
    }                                                                                                      \
    __device__ static void registersByColumns(ELEMENT, float(&d)[N / 2], const std::uint32_t* a,           \
                                              std::uint64_t b) {                                           \
        asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" LIST "}, {%" #N0 \
                     ", %" #N1 ", %" #N2 ", %" #N3 "}, %" #N4 ", 1, 1, 1, 1;"                              \
                     : __VA_ARGS__                                                                         \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                                \
    }

#define RG_PRODUCTS(N, ...)                               \
    template <>                                           \
    struct Product<N> {                                   \
        RG_PRODUCT(N, "bf16", __nv_bfloat16, __VA_ARGS__) \
        RG_PRODUCT(N, "f16", __half, __VA_ARGS__)         \
    };

RG_PRODUCTS(48, RG_TEN() RG_TEN(1) "%20, %21, %22, %23", 24, 25, 26, 27, 28, 29, RG_F16(d, 0), RG_F8(d, 16))
RG_PRODUCTS(64, RG_TEN() RG_TEN(1) RG_TEN(2) "%30, %31", 32, 33, 34, 35, 36, 37, RG_F32(d, 0))
RG_PRODUCTS(80, RG_TEN() RG_TEN(1) RG_TEN(2) "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39", 40, 41, 42,
            43, 44, 45, RG_F32(d, 0), RG_F8(d, 32))
RG_PRODUCTS(96, RG_TEN() RG_TEN(1) RG_TEN(2) RG_TEN(3) "%40, %41, %42, %43, %44, %45, %46, %47", 48, 49, 50,
            51, 52, 53, RG_F32(d, 0), RG_F16(d, 32))
RG_PRODUCTS(112, RG_TEN() RG_TEN(1) RG_TEN(2) RG_TEN(3) RG_TEN(4) "%50, %51, %52, %53, %54, %55", 56, 57, 58,
            59, 60, 61, RG_F32(d, 0), RG_F16(d, 32), RG_F8(d, 48))
RG_PRODUCTS(128, RG_TEN() RG_TEN(1) RG_TEN(2) RG_TEN(3) RG_TEN(4) RG_TEN(5) "%60, %61, %62, %63", 64, 65, 66,
            67, 68, 69, RG_F64(d, 0))
RG_PRODUCTS(160,
            RG_TEN() RG_TEN(1) RG_TEN(2) RG_TEN(3) RG_TEN(4) RG_TEN(5)
                RG_TEN(6) "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79",
            80, 81, 82, 83, 84, 85, RG_F64(d, 0), RG_F16(d, 64))
RG_PRODUCTS(192,
            RG_TEN() RG_TEN(1) RG_TEN(2) RG_TEN(3) RG_TEN(4) RG_TEN(5) RG_TEN(6) RG_TEN(7)
                RG_TEN(8) "%90, %91, %92, %93, %94, %95",
            96, 97, 98, 99, 100, 101, RG_F64(d, 0), RG_F32(d, 64))
RG_PRODUCTS(256,
            RG_TEN() RG_TEN(1) RG_TEN(2) RG_TEN(3) RG_TEN(4) RG_TEN(5) RG_TEN(6) RG_TEN(7) RG_TEN(8) RG_TEN(9)
                RG_TEN(10) RG_TEN(11) "%120, %121, %122, %123, %124, %125, %126, %127",
            128, 129, 130, 131, 132, 133, RG_F64(d, 0), RG_F64(d, 64))

#undef RG_PRODUCTS
#undef RG_PRODUCT
#undef RG_F64
#undef RG_F32
#undef RG_F16
#undef RG_F8
#undef RG_TEN

}  // namespace reelgrid::kernels::cuda::device::hopper
