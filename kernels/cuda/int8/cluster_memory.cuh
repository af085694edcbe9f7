#pragma once

// Copies between global memory and the shared memory of two blocks of threads that run as a cluster: a box of
// a matrix can come for both at once, and each can tell the other that a place may be overwritten. sm_90a.

#include "kernels/cuda/attention/hopper/hopper_memory.cuh"

namespace reelgrid::kernels::cuda::device::hopper {

/// Which of the pair this block of threads is.
__device__ inline std::uint32_t rankInPair() {
    std::uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline void meetPair() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
/// Arrives at the barrier in the same place of that block's shared memory. It orders this block's accesses
/// alone, which is enough after products that have been waited for; one that orders the cluster's would wait
/// for all memory.
__device__ inline void arriveAt(Barrier& barrier, std::uint32_t rank) {
    asm volatile(
        "{\n.reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(sharedAddress(&barrier.state)),
        "r"(rank)
        : "memory");
}
/// Whether the barrier's phase of this parity is over, without waiting for it as passed() may.
__device__ inline bool isOver(Barrier& barrier, std::uint32_t parity) {
    std::uint32_t over;
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(over)
        : "r"(sharedAddress(&barrier.state)), "r"(parity)
        : "memory");
    return over != 0;
}
/// A box of a matrix; `full` gets the bytes.
__device__ inline void copyBox(void* to, const CUtensorMap& map, Barrier& full, int column, int row) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
        "[%2];" ::"r"(sharedAddress(to)),
        "l"(&map), "r"(sharedAddress(&full.state)), "r"(column), "r"(row)
        : "memory");
}
/// The same into both blocks of the pair, each of whose barriers gets the bytes.
__device__ inline void copyBoxToPair(void* to, const CUtensorMap& map, Barrier& full, int column, int row) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(sharedAddress(to)),
        "l"(&map), "r"(sharedAddress(&full.state)), "r"(column), "r"(row), "h"(static_cast<std::uint16_t>(3))
        : "memory");
}
/// A box from shared memory, what lies outside the matrix left out.
__device__ inline void storeBox(const CUtensorMap& map, const void* from, int column, int row) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
                 "r"(sharedAddress(from)), "r"(column), "r"(row)
                 : "memory");
}
__device__ inline void commitStores() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Until shared memory may be written again.
__device__ inline void waitStoresRead() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
__device__ inline void waitStores() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
/// What this thread wrote to shared memory is seen by copies from it.
__device__ inline void publishShared() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Four matrices of 8 rows by 16 bytes, as wgmma's accumulators hold them packed; lane l has the address of
/// row l % 8 of matrix l / 8.
__device__ inline void storeMatrices(std::uint32_t rowAddress, std::uint32_t a, std::uint32_t b,
                                     std::uint32_t c, std::uint32_t d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(rowAddress), "r"(a),
                 "r"(b), "r"(c), "r"(d)
                 : "memory");
}

}  // namespace reelgrid::kernels::cuda::device::hopper
