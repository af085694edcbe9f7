#pragma once

// Products of int8 blocks for Hopper. A block of threads makes 256 rows by 128 outputs: one warpgroup copies,
// two multiply 128 rows each, 64 at a time, so that while one scales its sums the other's products run. Two
// blocks of threads with neighbouring outputs share the rows, half of which each of them copies for both.
// sm_90a.

#include "kernels/cuda/attention/hopper/fav3_kernel.cuh"
#include "kernels/cuda/attention/hopper/wgmma_bytes.cuh"
#include "kernels/cuda/int8/products.cuh"

namespace reelgrid::kernels::cuda::device {

struct Int8WgmmaCall {
    Int8Extents extents;
    const float *xScales, *weightScales, *bias;
    int rowTiles, outputTiles;  ///< of 256 rows, of 256 outputs
};

template <class Element_>
struct Int8WgmmaConfig {
    using Element = Element_;
    static constexpr int kSide = static_cast<int>(kInt8Block);
    static constexpr int kGroups = 2, kSharers = 2;
    static constexpr int kRows = kGroups * kSide, kOutputs = kSide;
    static constexpr int kStages = 3;
    static constexpr int kThreads = 128 * (kGroups + 1);
    static constexpr int kCopyRegisters = 24, kComputeRegisters = 240;
    static constexpr int kStageBytes = (kRows + kOutputs) * kSide;
};

template <class C>
struct Int8WgmmaShared {
    alignas(1024) std::int8_t x[C::kStages][C::kRows][C::kSide];
    alignas(1024) std::int8_t weight[C::kStages][C::kOutputs][C::kSide];
    alignas(1024) typename C::Element out[C::kGroups][2][2][64][64];  ///< [64 rows][64 outputs] a box
    hopper::Barrier full[C::kStages], empty[C::kStages];
};

namespace hopper {

/// The pair's blocks of threads.
__device__ inline std::uint32_t rankInPair() {
    std::uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline void meetPair() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
/// Arrives at the barrier in the same place of that block's shared memory.
__device__ inline void arriveAt(Barrier& barrier, std::uint32_t rank) {
    asm volatile(
        "{\n.reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(
            sharedAddress(&barrier.state)),
        "r"(rank)
        : "memory");
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

}  // namespace hopper

/// One thread asks the copy engine for every block of inputs, in the order of use.
template <class C>
__device__ void copyInt8Blocks(Int8WgmmaShared<C>& shared, const CUtensorMap& xMap,
                               const CUtensorMap& weightMap, const Int8WgmmaCall& call, int rank) {
    using namespace hopper;
    constexpr int kHalf = C::kRows / C::kSharers;
    RingPlace<C::kStages> place;
    const int pairs = static_cast<int>(gridDim.x) / C::kSharers;
    for (int tile = static_cast<int>(blockIdx.x) / C::kSharers; tile < call.rowTiles * call.outputTiles;
         tile += pairs) {
        const int row = tile / call.outputTiles * C::kRows,
                  output = (tile % call.outputTiles * C::kSharers + rank) * C::kOutputs;
        for (int block = 0; block < call.extents.blocks; ++block) {
            Barrier& full = shared.full[place.stage];
            shared.empty[place.stage].wait(place.parity ^ 1);
            full.arriveExpecting(C::kStageBytes);
            copyBoxToPair(shared.x[place.stage][rank * kHalf], xMap, full, block * C::kSide,
                          row + rank * kHalf);
            copyBox(shared.weight[place.stage], weightMap, full, block * C::kSide, output);
            place.next();
        }
    }
}

/// A warpgroup that multiplies.
template <class C>
__device__ void multiplyInt8Blocks(Int8WgmmaShared<C>& shared, const CUtensorMap& outMap,
                                   const Int8WgmmaCall& call, int rank, int group) {
    using namespace hopper;
    using Element = typename C::Element;
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
    const bool isFirst = threadIdx.x % 128 == 0;
    const Int8Extents& x = call.extents;
    RingPlace<C::kStages> place;
    const int pairs = static_cast<int>(gridDim.x) / C::kSharers;
    for (int tile = static_cast<int>(blockIdx.x) / C::kSharers; tile < call.rowTiles * call.outputTiles;
         tile += pairs) {
        const int rowBlock = tile / call.outputTiles * C::kGroups + group,
                  outputBlock = tile % call.outputTiles * C::kSharers + rank;
        // Blocks beyond the matrices are zeros, whatever their scales.
        const float* xScales = call.xScales + std::int64_t{min(rowBlock, x.rowBlocks - 1)} * x.blocks;
        const float* weightScales =
            call.weightScales + std::int64_t{min(outputBlock, x.outputBlocks - 1)} * x.blocks;
        float totals[2][64];
#pragma unroll
        for (auto& half : totals)
#pragma unroll
            for (float& total : half) total = 0;
#pragma unroll 1
        for (int block = 0; block < x.blocks; ++block) {
            const float scale = __ldg(weightScales + block) * __ldg(xScales + block);
            shared.full[place.stage].wait(place.parity);
            const std::uint64_t weight = rowsOperand(shared.weight[place.stage]);
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                std::int32_t sums[64];
                const std::uint64_t rows = rowsOperand(shared.x[place.stage][C::kSide * group + 64 * half]);
                fenceProducts();
#pragma unroll
                for (int step = 0; step < C::kSide / 32; ++step)
                    ByteProduct<C::kOutputs>::rowsByRows(sums, advanced(rows, 32 * step),
                                                         advanced(weight, 32 * step), step > 0);
                commitProducts();
                waitProducts<0>();
                pin(sums);
                if (half == 1 && lane < C::kSharers) arriveAt(shared.empty[place.stage], lane);
#pragma unroll
                for (int i = 0; i < 64; ++i)
                    totals[half][i] = fmaf(static_cast<float>(sums[i]), scale, totals[half][i]);
            }
            place.next();
        }

        // Through shared memory, so that whole rows are written; the tile before was read from there.
        if (isFirst) waitStoresRead();
        meet(1 + group, 128);
        const int firstOutput = outputBlock * C::kOutputs;
#pragma unroll
        for (int j = 0; j < C::kOutputs / 8; ++j) {
            const int output = firstOutput + 8 * j + lane % 4 * 2;
            const float2 bias = call.bias != nullptr && output < x.outputs
                                    ? __ldg(reinterpret_cast<const float2*>(call.bias + output))
                                    : float2{};
#pragma unroll
            for (int half = 0; half < 2; ++half)
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    const int row = 16 * warp + lane / 4 + 8 * r;
                    auto* pairsOfRow = reinterpret_cast<std::uint32_t*>(shared.out[group][half][j / 8][row]);
                    pairsOfRow[((j % 8) ^ (row & 7)) * 4 + lane % 4] = packedPair<Element>(
                        totals[half][4 * j + 2 * r] + bias.x, totals[half][4 * j + 2 * r + 1] + bias.y);
                }
        }
        publishShared();
        meet(1 + group, 128);
        if (isFirst) {
#pragma unroll
            for (int half = 0; half < 2; ++half)
#pragma unroll
                for (int part = 0; part < 2; ++part)
                    storeBox(outMap, shared.out[group][half][part], firstOutput + 64 * part,
                             rowBlock * C::kSide + 64 * half);
            commitStores();
        }
    }
    if (isFirst) waitStores();
}

template <class C>
__global__ void __launch_bounds__(C::kThreads, 1) __cluster_dims__(C::kSharers, 1, 1)
    int8WgmmaKernel(const __grid_constant__ CUtensorMap xMap, const __grid_constant__ CUtensorMap weightMap,
                    const __grid_constant__ CUtensorMap outMap, const __grid_constant__ Int8WgmmaCall call) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using namespace hopper;
    extern __shared__ std::uint8_t raw[];
    // Both blocks of a pair begin at the same address.
    auto& shared = *reinterpret_cast<Int8WgmmaShared<C>*>(raw + (1024 - sharedAddress(raw) % 1024) % 1024);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < C::kStages; ++stage) {
            shared.full[stage].start(1);
            shared.empty[stage].start(4 * C::kGroups * C::kSharers);
        }
        publishBarriers();
    }
    __syncthreads();
    meetPair();
    const int rank = static_cast<int>(rankInPair());
    const int group = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 128, 0) - 1;
    if (group < 0) {
        giveRegisters<C::kCopyRegisters>();
        if (threadIdx.x == 0) copyInt8Blocks<C>(shared, xMap, weightMap, call, rank);
    } else {
        takeRegisters<C::kComputeRegisters>();
        multiplyInt8Blocks<C>(shared, outMap, call, rank, group);
    }
    __syncwarp();
    meetPair();  // nothing comes for a block that is gone
#else
    __trap();
#endif
}

}  // namespace reelgrid::kernels::cuda::device
