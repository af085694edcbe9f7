#pragma once

// Rows of Q and K as int8 (or e4m3) with one scale for a block of them: one CUDA block a scale block, which
// holds it in registers from the search for its maximum to its bytes.

#include "kernels/cuda/attention/quantise/column_statistics.cuh"
#include "kernels/cuda/attention/quantise/head_rows.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {

/// How quantised rows lie in memory. A head has a whole number of tiles of rows.
enum class RowLayout {
    Plain,        ///< [rows][D]
    CoreMatrices  ///< [rows / 8][D / 16][8][16], as wgmma reads them without a swizzle
};

template <RowLayout kLayout, int kHeadDim>
__device__ std::int64_t placeOf(std::int64_t row, int column) {
    if constexpr (kLayout == RowLayout::Plain) return row * kHeadDim + column;
    return row / 8 * (8 * kHeadDim) + column / 16 * 128 + row % 8 * 16 + column % 16;
}

/// x / scale, correctly rounded for ordinary scales without a division each.
struct Quotient {
    float scale, inverse;
    __device__ float operator()(float x) const {
        const float rough = x * inverse;
        return fmaf(fmaf(-rough, scale, x), inverse, rough);
    }
};
/// For others.
struct Division {
    float scale;
    __device__ float operator()(float x) const { return x / scale; }
};

/// Calls `with` with what divides by a scale above 0.
template <class With>
__device__ void withDivider(float scale, With&& with) {
    if (scale > 1e-30F && scale < 1e30F)
        with(Quotient{scale, 1.0F / scale});
    else
        with(Division{scale});
}

/// Four values, half away from zero, in one register.
__device__ inline std::uint32_t fourInt8(const float* x) {
    std::uint32_t bytes = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int integer = static_cast<int>(x[i] + copysignf(0.5F, x[i]));
        bytes |= static_cast<std::uint32_t>(integer & 0xFF) << (8 * i);
    }
    return bytes;
}

/// The block's largest magnitude, in each of its threads; NaN when there is one.
__device__ inline float blockLargest(float x, float* perWarp) {
    for (int distance = 16; distance > 0; distance /= 2)
        x = largerMagnitude(x, __shfl_xor_sync(0xffffffffU, x, distance));
    if (threadIdx.x % 32 == 0) perWarp[threadIdx.x / 32] = x;
    __syncthreads();
    float most = perWarp[0];
    for (int warp = 1; warp < static_cast<int>(blockDim.x) / 32; ++warp)
        most = largerMagnitude(most, perWarp[warp]);
    return most;
}

struct QuantisedRows {
    std::int8_t* bytes;  ///< [heads][rows][D] in the layout
    int rows;            ///< of a head, whole tiles: those beyond the tensor become zeros
    float* scales;       ///< [heads][rows / scaleRows, rounded up]
};

/// Rows to int8: what is quantised is (x − mean) · factor, with its scale absmax / 127.
struct Int8Rows {
    RowSource source;
    QuantisedRows to;
    int blocks;         ///< of a head
    int scaleRows;      ///< rows of an entry of scales: divides the rows of a block
    float factor;       ///< in fp32 before quantising
    const float* mean;  ///< [heads][D] or null
    /// Of queries whose keys are smoothed, or null: dots[head][token] = dotScale · x · dotMean[head /
    /// dotHeads].
    const float* dotMean;
    int dotHeads;
    float dotScale;
    float* dots;
};

template <int kBlockRows, int kHeadDim>
struct RowBlock {
    static constexpr int kChunks = kHeadDim / kChunk;
    static constexpr int kThreads = kBlockRows * kChunks > 1024 ? 512 : 256;
    static constexpr int kRowsAtOnce = kThreads / kChunks;
    static constexpr int kTurns = (kBlockRows + kRowsAtOnce - 1) / kRowsAtOnce;
};

/// What smoothing takes from these rows' scores, where that is asked for. `block`: of the head.
template <class Element, int kBlockRows, int kHeadDim, class Block = RowBlock<kBlockRows, kHeadDim>>
__device__ void storeDots(const RowChunk (&chunks)[Block::kTurns], const Int8Rows& call, std::int64_t head,
                          int block) {
    if (call.dots == nullptr) return;
    const int column = static_cast<int>(threadIdx.x) % Block::kChunks * kChunk;
    float mean[kChunk];
#pragma unroll
    for (int i = 0; i < kChunk; ++i)
        mean[i] = __ldg(call.dotMean + head / call.dotHeads * kHeadDim + column + i);
#pragma unroll
    for (int turn = 0; turn < Block::kTurns; ++turn) {
        const int row = static_cast<int>(threadIdx.x) / Block::kChunks + turn * Block::kRowsAtOnce;
        const int token = block * kBlockRows + row;
        float x[kChunk], dot = 0;
        chunks[turn].template widen<Element>(x);
#pragma unroll
        for (int i = 0; i < kChunk; ++i) dot = fmaf(x[i], mean[i], dot);
#pragma unroll
        for (int distance = 1; distance < Block::kChunks; distance *= 2)
            dot += __shfl_xor_sync(0xffffffffU, dot, distance);
        if (column == 0 && row < kBlockRows && token < call.source.tokens)
            call.dots[head * call.source.tokens + token] = dot * call.dotScale;
    }
}

template <class Element, int kHeadDim, int kBlockRows, RowLayout kLayout>
__global__ void __launch_bounds__(RowBlock<kBlockRows, kHeadDim>::kThreads)
    quantiseInt8(const __grid_constant__ Int8Rows call) {
    using Block = RowBlock<kBlockRows, kHeadDim>;
    __shared__ float perWarp[Block::kThreads / 32];
    const std::int64_t head = blockIdx.x / call.blocks;
    const int block = static_cast<int>(blockIdx.x) % call.blocks;
    const int column = static_cast<int>(threadIdx.x) % Block::kChunks * kChunk;
    const int firstRow = static_cast<int>(threadIdx.x) / Block::kChunks;
    const auto rowOf = [&](int turn) { return firstRow + turn * Block::kRowsAtOnce; };
    const auto tokenOf = [&](int turn) { return block * kBlockRows + rowOf(turn); };
    const auto isRow = [&](int turn) { return rowOf(turn) < kBlockRows; };

    RowChunk chunks[Block::kTurns];
#pragma unroll
    for (int turn = 0; turn < Block::kTurns; ++turn)
        chunks[turn] =
            isRow(turn) ? RowChunk::load<Element>(call.source, head, tokenOf(turn), column) : RowChunk{};
    float mean[kChunk] = {};
    if (call.mean != nullptr)
#pragma unroll
        for (int i = 0; i < kChunk; ++i) mean[i] = __ldg(call.mean + head * kHeadDim + column + i);
    const auto centred = [&](int turn, float(&x)[kChunk]) {
        chunks[turn].template widen<Element>(x);
#pragma unroll
        for (int i = 0; i < kChunk; ++i) x[i] = (x[i] - mean[i]) * call.factor;
    };

    float most = 0;
#pragma unroll
    for (int turn = 0; turn < Block::kTurns; ++turn) {
        if (!isRow(turn) || tokenOf(turn) >= call.source.tokens) continue;
        float x[kChunk];
        centred(turn, x);
#pragma unroll
        for (int i = 0; i < kChunk; ++i) most = largerMagnitude(most, x[i]);
    }
    // Infinities become NaN, too: the block's scores are nothing then.
    const float largest = blockLargest(most, perWarp);
    const float scale = (largest + 0.0F * largest) / 127.0F;
    const int scales = kBlockRows / call.scaleRows;
    const int entries = (call.to.rows + call.scaleRows - 1) / call.scaleRows;
    for (int i = static_cast<int>(threadIdx.x); i < scales; i += Block::kThreads)
        if (block * scales + i < entries) call.to.scales[head * entries + block * scales + i] = scale;

    const auto store = [&](int turn, const uint4& bytes) {
        *reinterpret_cast<uint4*>(call.to.bytes + head * call.to.rows * kHeadDim +
                                  placeOf<kLayout, kHeadDim>(tokenOf(turn), column)) = bytes;
    };
    withDivider(scale, [&](const auto& divided) {
#pragma unroll
        for (int turn = 0; turn < Block::kTurns; ++turn) {
            if (!isRow(turn) || tokenOf(turn) >= call.to.rows) continue;
            float x[kChunk];
            uint4 bytes{};
            if (scale > 0 && tokenOf(turn) < call.source.tokens) {  // neither zeros nor NaN
                centred(turn, x);
#pragma unroll
                for (int i = 0; i < kChunk; ++i) x[i] = divided(x[i]);
                bytes = {fourInt8(x), fourInt8(x + 4), fourInt8(x + 8), fourInt8(x + 12)};
            }
            store(turn, bytes);
        }
    });

    storeDots<Element, kBlockRows, kHeadDim>(chunks, call, head, block);
}

/// Queues it for all heads. `call.blocks` is set here.
template <class Element, int kHeadDim, int kBlockRows, RowLayout kLayout>
void quantiseRowsToInt8(Int8Rows call, std::int64_t heads, cudaStream_t stream) {
    using Block = RowBlock<kBlockRows, kHeadDim>;
    call.blocks = (call.to.rows + kBlockRows - 1) / kBlockRows;
    quantiseInt8<Element, kHeadDim, kBlockRows, kLayout>
        <<<rowBlocks(heads * call.blocks), Block::kThreads, 0, stream>>>(call);
    checkLaunch("the quantising of rows to int8");
}

}  // namespace reelgrid::kernels::cuda::device
