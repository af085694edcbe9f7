#pragma once

// Rows of Q and K as int8 where a scale belongs to what one thread holds in a product of tensor cores: of a
// scale block's rows those of which n mod 8 · classes / 8 is the same. A CUDA block holds some scale blocks
// in registers from the search for their maxima to their bytes.

#include "kernels/attention/method.h"
#include "kernels/cuda/attention/quantise/quantise_rows.cuh"

namespace reelgrid::kernels::cuda::device {

/// Rows of a scale block, and how many scales they have.
template <int kRows_, int kClasses_>
struct RowClasses {
    static constexpr int kRows = kRows_, kClasses = kClasses_;
    static constexpr int kAlike = kClassRows / kClasses;  ///< neighbours of the same class
    static_assert(kRows % kScaleGrain == 0 && kClassRows % kClasses == 0);

    /// Of a row within its scale block.
    __device__ static constexpr int classOf(int row) { return row % kClassRows / kAlike; }
};

/// Scales have an entry for each class of kScaleGrain rows, [heads][rows / kScaleGrain][classes]: the grains
/// of a scale block have the same ones. `call.scaleRows` is not read.
template <class Element, int kHeadDim, class Classes>
__global__ void __launch_bounds__(RowBlock<128, kHeadDim>::kThreads)
    quantiseInt8Classes(const __grid_constant__ Int8Rows call) {
    constexpr int kRows = 128;
    using Block = RowBlock<kRows, kHeadDim>;
    constexpr int kScales = kRows / Classes::kRows * Classes::kClasses;
    static_assert(kRows % Block::kRowsAtOnce == 0 && kScales <= Block::kThreads);
    __shared__ float rowMost[kRows];
    __shared__ float scales[kScales];
    const std::int64_t head = blockIdx.x / call.blocks;
    const int block = static_cast<int>(blockIdx.x) % call.blocks;
    const int column = static_cast<int>(threadIdx.x) % Block::kChunks * kChunk;
    const auto rowOf = [&](int turn) {
        return static_cast<int>(threadIdx.x) / Block::kChunks + turn * Block::kRowsAtOnce;
    };
    const auto tokenOf = [&](int turn) { return block * kRows + rowOf(turn); };

    RowChunk chunks[Block::kTurns];
#pragma unroll
    for (int turn = 0; turn < Block::kTurns; ++turn)
        chunks[turn] = RowChunk::load<Element>(call.source, head, tokenOf(turn), column);
    float mean[kChunk] = {};
    if (call.mean != nullptr)
#pragma unroll
        for (int i = 0; i < kChunk; ++i) mean[i] = __ldg(call.mean + head * kHeadDim + column + i);
    const auto centred = [&](int turn, float(&x)[kChunk]) {
        chunks[turn].template widen<Element>(x);
#pragma unroll
        for (int i = 0; i < kChunk; ++i) x[i] = (x[i] - mean[i]) * call.factor;
    };

#pragma unroll
    for (int turn = 0; turn < Block::kTurns; ++turn) {
        float x[kChunk], most = 0;
        centred(turn, x);
#pragma unroll
        for (int i = 0; i < kChunk; ++i) most = largerMagnitude(most, x[i]);
#pragma unroll
        for (int distance = 1; distance < Block::kChunks; distance *= 2)
            most = largerMagnitude(most, __shfl_xor_sync(0xffffffffU, most, distance));
        if (column == 0) rowMost[rowOf(turn)] = tokenOf(turn) < call.source.tokens ? most : 0.0F;
    }
    __syncthreads();
    if (threadIdx.x < kScales) {
        const int scaleBlock = static_cast<int>(threadIdx.x) / Classes::kClasses,
                  each = static_cast<int>(threadIdx.x) % Classes::kClasses;
        float most = 0;
        for (int row = each * Classes::kAlike; row < Classes::kRows; row += kClassRows)
#pragma unroll
            for (int i = 0; i < Classes::kAlike; ++i)
                most = largerMagnitude(most, rowMost[scaleBlock * Classes::kRows + row + i]);
        // Infinities become NaN, too: the class's scores are nothing then.
        const float scale = (most + 0.0F * most) / 127.0F;
        scales[threadIdx.x] = scale;
        const int entries = call.to.rows / kScaleGrain * Classes::kClasses;
        for (int grain = 0; grain < Classes::kRows / kScaleGrain; ++grain) {
            const int first = (block * kRows + scaleBlock * Classes::kRows) / kScaleGrain + grain;
            const int entry = first * Classes::kClasses + each;
            if (entry < entries) call.to.scales[head * entries + entry] = scale;
        }
    }
    __syncthreads();

#pragma unroll
    for (int turn = 0; turn < Block::kTurns; ++turn) {
        const int row = rowOf(turn);
        if (tokenOf(turn) >= call.to.rows) continue;
        const float scale = scales[row / Classes::kRows * Classes::kClasses + Classes::classOf(row)];
        uint4 bytes{};
        if (scale > 0 && tokenOf(turn) < call.source.tokens)  // neither zeros nor NaN
            withDivider(scale, [&](const auto& divided) {
                float x[kChunk];
                centred(turn, x);
#pragma unroll
                for (int i = 0; i < kChunk; ++i) x[i] = divided(x[i]);
                bytes = {fourInt8(x), fourInt8(x + 4), fourInt8(x + 8), fourInt8(x + 12)};
            });
        *reinterpret_cast<uint4*>(call.to.bytes + head * call.to.rows * kHeadDim +
                                  placeOf<RowLayout::CoreMatrices, kHeadDim>(tokenOf(turn), column)) = bytes;
    }
    storeDots<Element, kRows, kHeadDim>(chunks, call, head, block);
}

/// Queues it for all heads. `call.blocks` is set here.
template <class Element, int kHeadDim, class Classes>
void quantiseRowsToInt8Classes(Int8Rows call, std::int64_t heads, cudaStream_t stream) {
    using Block = RowBlock<128, kHeadDim>;
    call.blocks = (call.to.rows + 127) / 128;
    quantiseInt8Classes<Element, kHeadDim, Classes>
        <<<rowBlocks(heads * call.blocks), Block::kThreads, 0, stream>>>(call);
    checkLaunch("the quantising of rows to int8");
}

}  // namespace reelgrid::kernels::cuda::device
