#pragma once

// Rows of Q and K turned by a Hadamard rotation with signs, then e4m3 with one scale for a block of them.

#include "kernels/cuda/attention/quantise/quantise_rows.cuh"
#include "kernels/cuda/attention/quantise/quantise_values.cuh"

namespace reelgrid::kernels::cuda::device {

/// Rows to e4m3 with their scale absmax / 448, after the rotation, which leaves them √rotation longer.
struct RotatedRows {
    RowSource source;
    QuantisedRows to;
    int blocks;              ///< of a head
    int scaleRows;           ///< rows of an entry of scales: divides the rows of a block
    int rotation;            ///< dimensions that are turned: a power of two from 16 to kHeadDim
    std::uint32_t minus[4];  ///< bit d: dimension d changes its sign before
};

/// Signs and the rotation of one row, whose chunks lie in neighbouring lanes. From the widest distance to the
/// narrowest, as everywhere.
__device__ inline void rotateChunk(float (&x)[kChunk], int column, const RotatedRows& call) {
    const std::uint32_t minus = call.minus[column / 32] >> (column % 32);
#pragma unroll
    for (int i = 0; i < kChunk; ++i) x[i] = __uint_as_float(__float_as_uint(x[i]) ^ (minus >> i & 1U) << 31);
#pragma unroll
    for (int distance = 64; distance >= kChunk; distance /= 2) {
        if (distance >= call.rotation) continue;
        const float sign = (column & distance) != 0 ? -1.0F : 1.0F;
#pragma unroll
        for (int i = 0; i < kChunk; ++i) {
            const float other = __shfl_xor_sync(0xffffffffU, x[i], distance / kChunk);
            x[i] = fmaf(x[i], sign, other);
        }
    }
#pragma unroll
    for (int distance = kChunk / 2; distance > 0; distance /= 2)
#pragma unroll
        for (int i = 0; i < kChunk; ++i)
            if ((i & distance) == 0) {
                const float a = x[i], b = x[i + distance];
                x[i] = a + b;
                x[i + distance] = a - b;
            }
}

template <class Element, int kHeadDim, int kBlockRows>
__global__ void __launch_bounds__(RowBlock<kBlockRows, kHeadDim>::kThreads)
    quantiseRotated(const __grid_constant__ RotatedRows call) {
    using Block = RowBlock<kBlockRows, kHeadDim>;
    __shared__ float perWarp[Block::kThreads / 32];
    const std::int64_t head = blockIdx.x / call.blocks;
    const int block = static_cast<int>(blockIdx.x) % call.blocks;
    const int column = static_cast<int>(threadIdx.x) % Block::kChunks * kChunk;
    const int firstRow = static_cast<int>(threadIdx.x) / Block::kChunks;
    const auto rowOf = [&](int turn) { return firstRow + turn * Block::kRowsAtOnce; };
    const auto tokenOf = [&](int turn) { return block * kBlockRows + rowOf(turn); };

    RowChunk chunks[Block::kTurns];
#pragma unroll
    for (int turn = 0; turn < Block::kTurns; ++turn)
        chunks[turn] = rowOf(turn) < kBlockRows
                           ? RowChunk::load<Element>(call.source, head, tokenOf(turn), column)
                           : RowChunk{};
    float x[Block::kTurns][kChunk];
    float most = 0;
#pragma unroll
    for (int turn = 0; turn < Block::kTurns; ++turn) {
        chunks[turn].template widen<Element>(x[turn]);
        rotateChunk(x[turn], column, call);
#pragma unroll
        for (int i = 0; i < kChunk; ++i) most = largerMagnitude(most, x[turn][i]);
    }
    const float largest = blockLargest(most, perWarp);
    const float scale = (largest + 0.0F * largest) / kLargestE4m3;  // NaN of an infinity, too
    const int scales = kBlockRows / call.scaleRows;
    const int entries = (call.to.rows + call.scaleRows - 1) / call.scaleRows;
    for (int i = static_cast<int>(threadIdx.x); i < scales; i += Block::kThreads)
        if (block * scales + i < entries) call.to.scales[head * entries + block * scales + i] = scale;

    withDivider(scale, [&](const auto& divided) {
#pragma unroll
        for (int turn = 0; turn < Block::kTurns; ++turn) {
            if (rowOf(turn) >= kBlockRows || tokenOf(turn) >= call.to.rows) continue;
            std::uint32_t bytes[4] = {};
            if (scale > 0)  // neither zeros nor NaN
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const float* four = x[turn] + 4 * i;
                    bytes[i] =
                        fourE4m3(divided(four[0]), divided(four[1]), divided(four[2]), divided(four[3]));
                }
            *reinterpret_cast<uint4*>(call.to.bytes + head * call.to.rows * kHeadDim +
                                      placeOf<RowLayout::CoreMatrices, kHeadDim>(tokenOf(turn), column)) = {
                bytes[0], bytes[1], bytes[2], bytes[3]};
        }
    });
}

/// Queues it for all heads. `call.blocks` is set here.
template <class Element, int kHeadDim, int kBlockRows>
void quantiseRotatedBlocks(RotatedRows call, std::int64_t heads, cudaStream_t stream) {
    using Block = RowBlock<kBlockRows, kHeadDim>;
    call.blocks = (call.to.rows + kBlockRows - 1) / kBlockRows;
    quantiseRotated<Element, kHeadDim, kBlockRows>
        <<<rowBlocks(heads * call.blocks), Block::kThreads, 0, stream>>>(call);
    checkLaunch("the rotation of rows");
}

}  // namespace reelgrid::kernels::cuda::device
