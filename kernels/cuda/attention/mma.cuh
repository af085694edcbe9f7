#pragma once

// What Ampere and its successors multiply and copy with: one warp's products, matrix loads and asynchronous
// copies. On Turing fp16 products of half the length, and copies that are there when they return.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace reelgrid::kernels::cuda::device::ampere {

__device__ inline std::uint32_t sharedAddress(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// d[4] += A B: 16 rows, 8 columns, 16 summed. d[0], d[1] lie in row lane / 4, d[2], d[3] eight rows further,
/// in columns 2 (lane % 4) and the next.
template <class T>
__device__ inline void multiply(float* d, const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    static_assert(std::is_same_v<T, __half>, "Turing has no bf16");
    const std::uint32_t b[2] = {b0, b1};
#pragma unroll
    for (int half = 0; half < 2; ++half)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, "
            "%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#else
    if constexpr (std::is_same_v<T, __half>)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, "
            "%2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
            "%9}, {%0, "
            "%1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/// d[4] += A B of int8 with int32 sums, which lie as above: 32 summed, four neighbours in a register of A or
/// B.
__device__ inline void multiplyInt8(std::int32_t* d, const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
        "%1, "
        "%2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// The same of e4m3, from compute capability 8.9 on. Ada's tensor cores keep some 22 bits of the sums;
/// Hopper's multiply them as fp16.
__device__ inline void multiplyE4m3(float* d, const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// The same with fp16 sums, two neighbours to a register, which GeForce cards make in half the time.
__device__ inline void multiplyE4m3(std::uint32_t* d, const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// By the type of the sums.
__device__ inline void multiplyBytes(std::int32_t* d, const std::uint32_t (&a)[4], std::uint32_t b0,
                                     std::uint32_t b1) {
    multiplyInt8(d, a, b0, b1);
}
__device__ inline void multiplyBytes(float* d, const std::uint32_t (&a)[4], std::uint32_t b0,
                                     std::uint32_t b1) {
    multiplyE4m3(d, a, b0, b1);
}

/// Four matrices of 8 by 8; lane l names row l % 8 of matrix l / 8.
__device__ inline void loadMatrices(std::uint32_t (&to)[4], std::uint32_t from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}
__device__ inline void loadTransposed(std::uint32_t (&to)[4], std::uint32_t from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

/// Sixteen bytes, of which the first `bytes`, none or all, come from global memory and the others are zero.
__device__ inline void copy16(std::uint32_t to, const void* from, int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    const uint4 x = bytes == 0 ? uint4{} : *static_cast<const uint4*>(from);
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
                 : "memory");
#else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#endif
}
__device__ inline void copy16(std::uint32_t to, const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    copy16(to, from, 16);
#else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#endif
}
__device__ inline void commitCopies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int kPending>
__device__ inline void waitCopies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

}  // namespace reelgrid::kernels::cuda::device::ampere
