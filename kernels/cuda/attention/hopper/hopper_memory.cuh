#pragma once

// Hopper's asynchronous copies: transaction barriers in shared memory and the bulk tensor copies that
// complete on them. sm_90a.

#include <cuda.h>

#include <cstdint>

namespace reelgrid::kernels::cuda::device::hopper {

__device__ inline std::uint32_t sharedAddress(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// A barrier's phase flips when all its arrivals and the bytes that it expects have come.
struct Barrier {
    std::uint64_t state;

    __device__ void start(int arrivals) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(&state)), "r"(arrivals));
    }
    __device__ void arrive() {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(&state)) : "memory");
    }
    __device__ void arriveExpecting(std::uint32_t bytes) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(&state)),
                     "r"(bytes)
                     : "memory");
    }
    __device__ bool passed(std::uint32_t parity) {
        std::uint32_t done;
        asm volatile(
            "{\n.reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n}"
            : "=r"(done)
            : "r"(sharedAddress(&state)), "r"(parity)
            : "memory");
        return done != 0;
    }
    /// Until the phase of this parity is over.
    __device__ void wait(std::uint32_t parity) {
        while (!passed(parity)) {
        }
    }
};

/// Sixteen bytes of shared memory.
__device__ inline float4 loadFour(std::uint32_t from) {
    float4 x;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                 : "r"(from)
                 : "memory");
    return x;
}
__device__ inline void storeFour(std::uint32_t to, const float4& x) {
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(x.x), "f"(x.y), "f"(x.z), "f"(x.w)
                 : "memory");
}

/// Makes the barriers that this thread started visible to the copy engine.
__device__ inline void publishBarriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// A box of a tensor of rank 4 into shared memory; `full` gets the bytes.
__device__ inline void copyBox(void* to, const CUtensorMap& map, Barrier& full, int column, int row, int head,
                               int batch) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, "
        "%6}], "
        "[%2];" ::"r"(sharedAddress(to)),
        "l"(&map), "r"(sharedAddress(&full.state)), "r"(column), "r"(row), "r"(head), "r"(batch)
        : "memory");
}

/// So many bytes, a multiple of 16, that lie side by side at both ends; `full` gets them.
__device__ inline void copyBytes(void* to, const void* from, std::uint32_t bytes, Barrier& full) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            sharedAddress(to)),
        "l"(from), "r"(bytes), "r"(sharedAddress(&full.state))
        : "memory");
}

/// `threads` threads meet at named barrier `id`: those that wait and those that only say that they came.
__device__ inline void meet(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void announce(int id, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Moves registers between the warpgroups of a block.
template <int kCount>
__device__ inline void giveRegisters() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}
template <int kCount>
__device__ inline void takeRegisters() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}

}  // namespace reelgrid::kernels::cuda::device::hopper
