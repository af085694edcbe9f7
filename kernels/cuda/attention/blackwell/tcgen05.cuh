#pragma once

// The fifth generation's tensor cores (compute capability 10.0 and 10.3): products with sums in tensor
// memory, and what moves between that and registers. Products, loads and stores are asynchronous and ordered
// only as section 6 of chapter 9.7.16 of the PTX ISA 9.2 says: products with the same sums and shape follow
// each other; everything else waits, for products by a barrier that commit() arrives at, for loads and stores
// by finishLoads() and finishStores(). Between threads there is a fence on either side of the barrier.
// sm_100f. Compiled, never run.

#include <cstdint>

#include "kernels/cuda/attention/hopper/hopper_memory.cuh"

namespace reelgrid::kernels::cuda::device::blackwell {

/// Whether this is the one lane of a warp that acts for it. For whole warps.
__device__ inline bool isChosen() {
    std::uint32_t chosen;
    asm volatile(
        "{\n.reg .pred p;\n"
        "elect.sync _|p, 0xffffffff;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(chosen));
    return chosen != 0;
}

/// Reserves so many columns, a power of two from 32 to 512; the address is written to `*to` in shared memory.
/// Waits while other blocks of the multiprocessor have them. For one whole warp, which must return them.
template <std::uint32_t kColumns>
__device__ inline void reserveColumns(std::uint32_t* to) {
    asm volatile(
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(hopper::sharedAddress(to)),
        "n"(kColumns)
        : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}
template <std::uint32_t kColumns>
__device__ inline void returnColumns(std::uint32_t address) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address), "n"(kColumns));
}

/// Before this thread tells others, by a barrier, of what it did in tensor memory.
__device__ inline void fenceBeforeTelling() {
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
/// After this thread heard from others.
__device__ inline void fenceAfterHearing() {
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/// sums = A Bᵀ, or += : A and B in shared memory. By one thread.
__device__ inline void multiply(std::uint32_t sums, std::uint64_t a, std::uint64_t b,
                                std::uint32_t instruction, bool add) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "setp.ne.u32 p, %4, 0;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(sums),
        "l"(a), "l"(b), "r"(instruction), "r"(static_cast<std::uint32_t>(add))
        : "memory");
}
/// The same with A in tensor memory: lane i has row i, two elements a column.
__device__ inline void multiplyTensor(std::uint32_t sums, std::uint32_t a, std::uint64_t b,
                                      std::uint32_t instruction, bool add) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "setp.ne.u32 p, %4, 0;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p;\n}" ::"r"(sums),
        "r"(a), "l"(b), "r"(instruction), "r"(static_cast<std::uint32_t>(add))
        : "memory");
}
/// Arrives once at the barrier when every product that this thread has asked for is done; it is a
/// fenceBeforeTelling(), too.
__device__ inline void commit(hopper::Barrier& done) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                     hopper::sharedAddress(&done.state))
                 : "memory");
}

#define RG_EIGHT(c, x, i)                                                                           \
    c((x)[i]), c((x)[(i) + 1]), c((x)[(i) + 2]), c((x)[(i) + 3]), c((x)[(i) + 4]), c((x)[(i) + 5]), \
        c((x)[(i) + 6]), c((x)[(i) + 7])
#define RG_THIRTY_TWO(c, x, i) \
    RG_EIGHT(c, x, i), RG_EIGHT(c, x, (i) + 8), RG_EIGHT(c, x, (i) + 16), RG_EIGHT(c, x, (i) + 24)
#define RG_FROM_0                                                                                      \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, " \
    "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define RG_FROM_1                                                                                       \
    "{%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
    "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32}"

/// 32 columns from `address` on, whose lane is the warp's first: 32 (warp % 4), no other is within its reach
/// (8.1). Each thread gets those of its own lane, as values[kFirst] and on, once finishLoads() is through.
/// For whole warps.
template <int kFirst, int kCount>
__device__ inline void loadColumns(float (&values)[kCount], std::uint32_t address) {
    static_assert(kFirst + 32 <= kCount);
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 " RG_FROM_0 ", [%32];"
                 : RG_THIRTY_TWO("=f", values, kFirst)
                 : "r"(address)
                 : "memory");
}
/// The other way round, likewise; finishStores() waits for it.
__device__ inline void storeColumns(std::uint32_t address, const float (&values)[32]) {
    asm volatile("tcgen05.st.sync.aligned.32x32b.x32.b32 [%0], " RG_FROM_1 ";" ::"r"(address),
                 RG_THIRTY_TWO("f", values, 0)
                 : "memory");
}
__device__ inline void storeColumns(std::uint32_t address, const std::uint32_t (&values)[32]) {
    asm volatile("tcgen05.st.sync.aligned.32x32b.x32.b32 [%0], " RG_FROM_1 ";" ::"r"(address),
                 RG_THIRTY_TWO("r", values, 0)
                 : "memory");
}

#undef RG_FROM_1
#undef RG_FROM_0
#undef RG_THIRTY_TWO
#undef RG_EIGHT

/// Until this warp's loads are done; uses of `values` stay after it.
template <int kCount>
__device__ inline void finishLoads(float (&values)[kCount]) {
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(values[i])::"memory");
}
__device__ inline void finishStores() {
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}

}  // namespace reelgrid::kernels::cuda::device::blackwell
