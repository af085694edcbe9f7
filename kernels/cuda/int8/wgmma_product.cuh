#pragma once

// Products of int8 blocks for Hopper. A block of threads makes 256 rows by 128 outputs: one warpgroup copies,
// two multiply 128 rows each, 64 at a time and in turns, so that while one scales its sums the other's
// products run. Two blocks of threads with neighbouring outputs share the rows, half of which each of them
// copies for both. A tile's outputs are written during the first products of the next one. sm_90a.

#include "kernels/cuda/attention/hopper/fav3_kernel.cuh"
#include "kernels/cuda/attention/hopper/wgmma_bytes.cuh"
#include "kernels/cuda/int8/cluster_memory.cuh"
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
    static constexpr int kStages = 4;
    static constexpr int kThreads = 128 * (kGroups + 1);
    static constexpr int kCopyRegisters = 24, kComputeRegisters = 240;
    static constexpr int kStageBytes = (kRows + kOutputs) * kSide;
    static constexpr int kSteps = kSide / 32;  ///< products of 64 rows of a block
    /// So many of a warpgroup's products are left when the other one may queue its own: time for it to begin.
    static constexpr int kLeftAtPassing = 2;
    /// Row tiles whose products with the same outputs follow each other: what runs at a time is nearly square
    /// and reads the least.
    static constexpr int kRowTilesTogether = 8;
};

template <class C>
struct Int8WgmmaShared {
    alignas(1024) std::int8_t x[C::kStages][C::kRows][C::kSide];
    alignas(1024) std::int8_t weight[C::kStages][C::kOutputs][C::kSide];
    alignas(1024) typename C::Element out[C::kGroups][2][64][64];  ///< [64 rows][64 outputs] a box
    hopper::Barrier full[C::kStages], empty[C::kStages];
    hopper::Barrier turn[C::kGroups];  ///< of each warpgroup that multiplies
};

/// The rows and outputs that a block of threads works on at a time.
template <class C>
struct Int8Tile {
    int row = -1, output = 0;

    Int8Tile() = default;

    __device__ Int8Tile(const Int8WgmmaCall& call, int index, int rank) {
        const int band = index / (C::kRowTilesTogether * call.outputTiles);
        const int firstTile = band * C::kRowTilesTogether;
        const int rowTiles = min(C::kRowTilesTogether, call.rowTiles - firstTile);
        const int place = index - firstTile * call.outputTiles;
        row = (firstTile + place % rowTiles) * C::kRows;
        output = (place / rowTiles * C::kSharers + rank) * C::kOutputs;
    }
};

/// Calls work(tile) for each tile of this block of threads.
template <class C, class Work>
__device__ void eachInt8Tile(const Int8WgmmaCall& call, int rank, const Work& work) {
    const int pairs = static_cast<int>(gridDim.x) / C::kSharers;
    for (int index = static_cast<int>(blockIdx.x) / C::kSharers; index < call.rowTiles * call.outputTiles;
         index += pairs)
        work(Int8Tile<C>(call, index, rank));
}

/// One thread asks the copy engine for every block of inputs, in the order of use.
template <class C>
__device__ void copyInt8Blocks(Int8WgmmaShared<C>& shared, const CUtensorMap& xMap,
                               const CUtensorMap& weightMap, const Int8WgmmaCall& call, int rank) {
    using namespace hopper;
    constexpr int kHalf = C::kRows / C::kSharers;
    RingPlace<C::kStages> place;
    eachInt8Tile<C>(call, rank, [&](const Int8Tile<C>& tile) {
        for (int block = 0; block < call.extents.blocks; ++block) {
            Barrier& full = shared.full[place.stage];
            shared.empty[place.stage].wait(place.parity ^ 1);
            full.arriveExpecting(C::kStageBytes);
            copyBoxToPair(shared.x[place.stage][rank * kHalf], xMap, full, block * C::kSide,
                          tile.row + rank * kHalf);
            copyBox(shared.weight[place.stage], weightMap, full, block * C::kSide, tile.output);
            place.next();
        }
    });
}

/// A warpgroup that multiplies.
template <class C>
struct Int8Group {
    using Element = typename C::Element;

    Int8WgmmaShared<C>& shared;
    const CUtensorMap& outMap;
    const Int8WgmmaCall& call;
    const int rank, group, warp, lane;
    RingPlace<C::kStages> place{};
    std::uint32_t turnParity = 0;

    // Not by named barriers: what comes before them in the program the compiler may put after them.
    __device__ void waitTurn() {
        if (!hopper::isOver(shared.turn[group], turnParity)) shared.turn[group].wait(turnParity);
        turnParity ^= 1;
    }
    __device__ void passTurn() const {
        if (lane == 0) shared.turn[group ^ 1].arrive();
    }

    /// Products of 64 rows of the block of inputs. They run while `meanwhile` is called.
    template <class Meanwhile>
    __device__ void multiply(std::int32_t (&sums)[64], int half, const Meanwhile& meanwhile) {
        using namespace hopper;
        std::uint64_t rows = rowsOperand(shared.x[place.stage][C::kSide * group + 64 * half]),
                      weight = rowsOperand(shared.weight[place.stage]);
        asm volatile("" : "+l"(rows), "+l"(weight));  // ready before the turn comes
        waitTurn();
        fenceProducts();
#pragma unroll
        for (int step = 0; step < C::kSteps; ++step) {
            ByteProduct<C::kOutputs>::rowsByRows(sums, advanced(rows, 32 * step), advanced(weight, 32 * step),
                                                 step > 0);
            if (step == C::kSteps - 1 - C::kLeftAtPassing || step == C::kSteps - 1) commitProducts();
        }
        waitProducts<1>();
        passTurn();
        meanwhile();
        waitProducts<0>();
        pin(sums);
    }

    /// Starts totals with the outputs' bias.
    __device__ void begin(float (&totals)[64], int firstOutput) const {
        int left = call.bias != nullptr ? call.extents.outputs - firstOutput : 0;
        asm volatile("" : "+r"(left));  // else what follows from it takes registers during all products
        const auto* from = reinterpret_cast<const float2*>(call.bias + firstOutput + lane % 4 * 2);
#pragma unroll
        for (int j = 0; j < C::kOutputs / 8; ++j) {
            const float2 bias = 8 * j < left ? __ldg(from + 4 * j) : float2{};
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                totals[4 * j + 2 * r] = bias.x;
                totals[4 * j + 2 * r + 1] = bias.y;
            }
        }
    }

    /// Writes 64 rows through shared memory, so that they are written whole.
    __device__ void store(const float (&totals)[64], const Int8Tile<C>& tile, int half) const {
        using namespace hopper;
        const bool isFirst = warp == 0 && lane == 0;
        if (isFirst) waitStoresRead();  // the rows before
        meet(1 + group, 128);
        const int row = 16 * warp + lane % 16;
#pragma unroll
        for (int j = 0; j < C::kOutputs / 8; j += 2) {
            const auto pairOf = [&](int i) { return packedPair<Element>(totals[i], totals[i + 1]); };
            const int chunk = j % 8 + lane / 16;
            storeMatrices(sharedAddress(shared.out[group][j / 8][row]) + ((chunk ^ (row & 7)) << 4),
                          pairOf(4 * j), pairOf(4 * j + 2), pairOf(4 * j + 4), pairOf(4 * j + 6));
        }
        publishShared();
        meet(1 + group, 128);
        if (isFirst) {
#pragma unroll
            for (int part = 0; part < 2; ++part)
                storeBox(outMap, shared.out[group][part], tile.output + 64 * part,
                         tile.row + C::kSide * group + 64 * half);
            commitStores();
        }
    }

    __device__ void run() {
        using namespace hopper;
        const Int8Extents& x = call.extents;
        float totals[2][64];
        Int8Tile<C> before;
        if (group == 1) passTurn();
        eachInt8Tile<C>(call, rank, [&](const Int8Tile<C>& tile) {
            // Blocks beyond the matrices are zeros, whatever their scales.
            const int rowBlock = min(tile.row / C::kSide + group, x.rowBlocks - 1),
                      outputBlock = min(tile.output / C::kSide, x.outputBlocks - 1);
            const float* xScales = call.xScales + std::int64_t{rowBlock} * x.blocks;
            const float* weightScales = call.weightScales + std::int64_t{outputBlock} * x.blocks;
            float ofX = 0, ofWeight = 0, scale = 0;  // the former of 32 blocks, one a lane
#pragma unroll 1
            for (int block = 0; block < x.blocks; ++block) {
                if (block % 32 == 0) {
                    const int own = min(block + lane, x.blocks - 1);
                    ofX = __ldg(xScales + own);
                    ofWeight = __ldg(weightScales + own);
                }
                shared.full[place.stage].wait(place.parity);
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    std::int32_t sums[64];
                    multiply(sums, half, [&] {
                        if (block == 0) {
                            if (before.row >= 0) store(totals[half], before, half);
                            begin(totals[half], tile.output);
                        }
                        if (half > 0) return;
                        scale = __shfl_sync(0xffffffffU, ofX, block % 32) *
                                __shfl_sync(0xffffffffU, ofWeight, block % 32);
                    });
                    if (half == 1 && lane < C::kSharers) arriveAt(shared.empty[place.stage], lane);
#pragma unroll
                    for (int i = 0; i < 64; ++i)
                        totals[half][i] = fmaf(static_cast<float>(sums[i]), scale, totals[half][i]);
                }
                place.next();
            }
            before = tile;
        });
        if (before.row >= 0) {
#pragma unroll
            for (int half = 0; half < 2; ++half) store(totals[half], before, half);
            if (warp == 0 && lane == 0) waitStores();
        }
    }
};

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
        for (auto& turn : shared.turn) turn.start(4);
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
        Int8Group<C>{shared,
                     outMap,
                     call,
                     rank,
                     group,
                     static_cast<int>(threadIdx.x) / 32 % 4,
                     static_cast<int>(threadIdx.x) % 32}
            .run();
    }
    __syncwarp();
    meetPair();  // nothing comes for a block that is gone
#else
    __trap();
#endif
}

}  // namespace reelgrid::kernels::cuda::device
