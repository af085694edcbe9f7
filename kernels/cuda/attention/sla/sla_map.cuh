#pragma once

// sla's map (and sagesla's, over other blocks): for every block of queries the blocks of keys whose mean,
// less the mean of all keys, scores highest against the mean query. Eight blocks of queries of a head to a
// block of threads; fp32 throughout, since a block chosen otherwise changes the output.

#include "kernels/cuda/attention/online_softmax.cuh"
#include "kernels/cuda/attention/sla/sla_call.cuh"

namespace reelgrid::kernels::cuda::device {

struct SlaMapCall {
    const void* q;
    Strides qStrides;
    int queries, keys, headDim;
    int queryHeads, queryHeadsPerKeyHead;
    int queryBlocks, keyBlocks, runs;
    int choices;              ///< blocks of keys to choose from: of one or several of those with means
    int count;                ///< of blocks to choose
    const float* blockMeans;  ///< [batch][key heads][key blocks][D]
    const float* keySums;     ///< [batch][key heads][runs][D]
    std::int32_t* chosen;     ///< [batch][query heads][query blocks][count], ascending
};

template <class Element_, int kHeadDim_, int kQueries_, int kKeys>
struct SlaMapConfig {
    using Element = Element_;
    static constexpr int kHeadDim = kHeadDim_;
    static constexpr int kQueries = kQueries_;             ///< of a block
    static constexpr int kTogether = kKeys / kSparseKeys;  ///< blocks with means that are chosen as one
    static_assert(kTogether == 1 || kTogether == 2);
    static constexpr int kThreads = 256, kQueryBlocks = 8;  ///< a warp each
    static constexpr int kTileBlocks = 128, kTileDims = 64;
    static constexpr int kTilePitch = kTileDims + 4;  ///< 16-byte loads of 8 rows meet all banks
    /// Means of queries and of keys, the tile.
    static constexpr int kFixedBytes = 4 * ((kQueryBlocks + 1) * kHeadDim + kTileBlocks * kTilePitch);
    static constexpr int sharedBytes(int choices) { return kFixedBytes + 4 * kQueryBlocks * choices; }
};

template <class C>
struct SlaMapBlock {
    using Element = typename C::Element;

    const SlaMapCall& call;
    float* const queryMeans;      ///< [kQueryBlocks][kHeadDim]
    float* const keyMean;         ///< [kHeadDim]
    float* const tile;            ///< [kTileBlocks][kTilePitch]
    std::uint32_t* const scores;  ///< [kQueryBlocks][choices], as integers of the same order
    const int head = static_cast<int>(blockIdx.y),
              firstBlock = static_cast<int>(blockIdx.x) * C::kQueryBlocks;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    /// Of the batch's heads of keys.
    const std::int64_t keyHead = head / call.queryHeadsPerKeyHead;

    /// A warp's block of queries.
    __device__ void meanOfQueries() const {
        constexpr int kColumns = C::kHeadDim / 8, kRows = 32 / kColumns;
        const int column = lane % kColumns, first = (firstBlock + warp) * C::kQueries;
        const int end = min(first + C::kQueries, call.queries);
        const auto* rows = static_cast<const Element*>(call.q) +
                           head / call.queryHeads * call.qStrides.batch +
                           head % call.queryHeads * call.qStrides.head + 8 * column;
        float sums[8] = {};
        if (8 * column < call.headDim) {
#pragma unroll 8
            for (int i = 0; i < C::kQueries / kRows; ++i) {
                const int query = first + i * kRows + lane / kColumns;
                float x[8];
                unpack<Element>(
                    query < end ? __ldg(reinterpret_cast<const uint4*>(rows + query * call.qStrides.token))
                                : uint4{},
                    x);
#pragma unroll
                for (int d = 0; d < 8; ++d) sums[d] += x[d];
            }
        }
#pragma unroll
        for (int d = 0; d < 8; ++d) {
#pragma unroll
            for (int distance = 16; distance >= kColumns; distance /= 2)
                sums[d] += __shfl_xor_sync(0xffffffffU, sums[d], distance);
            if (lane < kColumns)
                queryMeans[warp * C::kHeadDim + 8 * column + d] =
                    sums[d] / static_cast<float>(max(end - first, 1));
        }
    }

    __device__ void meanOfKeys() const {
        const int d = static_cast<int>(threadIdx.x);
        if (d >= C::kHeadDim) return;
        const float* sums = call.keySums + keyHead * call.runs * C::kHeadDim + d;
        float sum = 0;
#pragma unroll 4
        for (int run = 0; run < call.runs; ++run) sum += sums[run * C::kHeadDim];
        const float mean = sum / static_cast<float>(call.keys);
        // A NaN or an infinity stays in its own block, which is then chosen and seen in the output.
        keyMean[d] = isfinite(mean) ? mean : 0.0F;
    }

    /// Four columns of the mean of what is chosen as one.
    __device__ float4 meanOf(const float* means, int choice, int d) const {
        const auto at = [&](int block) {
            return *reinterpret_cast<const float4*>(means + std::int64_t{block} * C::kHeadDim + d);
        };
        const int block = choice * C::kTogether;
        float4 x = at(block);
        if (C::kTogether == 1 || block + 1 >= call.keyBlocks) return x;
        // The second one may have fewer keys.
        const auto there = static_cast<float>(min(kSparseKeys, call.keys - (block + 1) * kSparseKeys));
        const float share = there / (there + static_cast<float>(kSparseKeys));
        const float4 y = at(block + 1);
        return {fmaf(y.x - x.x, share, x.x), fmaf(y.y - x.y, share, x.y), fmaf(y.z - x.z, share, x.z),
                fmaf(y.w - x.w, share, x.w)};
    }

    __device__ void loadTile(int firstChoice, int firstDim) const {
        constexpr int kColumns = C::kTileDims / 4;
        const float* means = call.blockMeans + keyHead * call.keyBlocks * C::kHeadDim;
#pragma unroll
        for (int i = static_cast<int>(threadIdx.x); i < C::kTileBlocks * kColumns; i += C::kThreads) {
            const int row = i / kColumns, d = firstDim + i % kColumns * 4, choice = firstChoice + row;
            float4 x{};
            if (choice < call.choices) {
                x = meanOf(means, choice, d);
                const float4 mean = *reinterpret_cast<const float4*>(keyMean + d);
                x = {x.x - mean.x, x.y - mean.y, x.z - mean.z, x.w - mean.w};
            }
            *reinterpret_cast<float4*>(tile + row * C::kTilePitch + d - firstDim) = x;
        }
    }

    /// Unsigned integers in the order of the floats; NaN counts as +∞.
    __device__ static std::uint32_t ordered(float score) {
        const std::uint32_t bits = __float_as_uint(isnan(score) ? -kMinusInfinity : score);
        return bits ^ (static_cast<std::int32_t>(bits) < 0 ? 0xFFFFFFFFU : 0x80000000U);
    }

    /// A warp takes 32 blocks of keys and half of the blocks of queries.
    __device__ void scoreTiles() const {
        constexpr int kEach = C::kQueryBlocks / 2;
        const int row = warp / 2 * 32 + lane, firstQuery = warp % 2 * kEach;
        for (int first = 0; first < call.choices; first += C::kTileBlocks) {
            float sums[kEach] = {};
#pragma unroll 1
            for (int dim = 0; dim < C::kHeadDim; dim += C::kTileDims) {
                __syncthreads();  // the tile was read, and the means are there
                loadTile(first, dim);
                __syncthreads();
#pragma unroll
                for (int d = 0; d < C::kTileDims; d += 4) {
                    const float4 k = *reinterpret_cast<const float4*>(tile + row * C::kTilePitch + d);
#pragma unroll
                    for (int i = 0; i < kEach; ++i) {
                        const float4 q = *reinterpret_cast<const float4*>(
                            queryMeans + (firstQuery + i) * C::kHeadDim + dim + d);
                        sums[i] = fmaf(q.x, k.x, sums[i]);
                        sums[i] = fmaf(q.y, k.y, sums[i]);
                        sums[i] = fmaf(q.z, k.z, sums[i]);
                        sums[i] = fmaf(q.w, k.w, sums[i]);
                    }
                }
            }
            if (first + row < call.choices)
#pragma unroll
                for (int i = 0; i < kEach; ++i)
                    scores[(firstQuery + i) * call.choices + first + row] = ordered(sums[i]);
        }
        __syncthreads();
    }

    /// How many scores are at least so high. For whole warps.
    __device__ int countFrom(const std::uint32_t* row, std::uint32_t least) const {
        int count = 0;
#pragma unroll 4
        for (int i = lane; i < call.choices; i += 32) count += row[i] >= least ? 1 : 0;
        return __reduce_add_sync(0xffffffffU, count);
    }

    /// A warp's block of queries: those above a threshold and, of those equal to it, the first.
    __device__ void choose() const {
        if (firstBlock + warp >= call.queryBlocks) return;
        const std::uint32_t* row = scores + warp * call.choices;
        std::uint32_t threshold = 0;  // as high as it may be with at least `count` from it on
        int equals = call.count;      // to take of those equal to it
        for (std::uint32_t bit = 0x80000000U; bit != 0; bit >>= 1) {
            const int from = countFrom(row, threshold | bit);
            if (from >= call.count) threshold |= bit;
            if (from == call.count) break;
        }
        if (threshold != 0xFFFFFFFFU) equals -= countFrom(row, threshold + 1);
        std::int32_t* to = call.chosen + (std::int64_t{head} * call.queryBlocks + firstBlock + warp) *
                                             static_cast<std::int64_t>(call.count);
        for (int first = 0; first < call.choices; first += 32) {
            const int block = first + lane;
            const std::uint32_t score = block < call.choices ? row[block] : 0;
            const std::uint32_t before = (1U << lane) - 1;
            const bool equal = block < call.choices && score == threshold;
            const std::uint32_t allEqual = __ballot_sync(0xffffffffU, equal);
            const bool taken =
                block < call.choices && (score > threshold || (equal && __popc(allEqual & before) < equals));
            const std::uint32_t allTaken = __ballot_sync(0xffffffffU, taken);
            if (taken) to[__popc(allTaken & before)] = block;
            to += __popc(allTaken);
            equals -= min(equals, __popc(allEqual));
        }
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads) slaMap(const __grid_constant__ SlaMapCall call) {
    extern __shared__ __align__(16) float floats[];
    float* const keyMean = floats + C::kQueryBlocks * C::kHeadDim;
    float* const tile = keyMean + C::kHeadDim;
    const SlaMapBlock<C> block{call, floats, keyMean, tile,
                               reinterpret_cast<std::uint32_t*>(tile + C::kTileBlocks * C::kTilePitch)};
    block.meanOfQueries();
    afterPrevious();
    block.meanOfKeys();
    block.scoreTiles();
    block.choose();
}

}  // namespace reelgrid::kernels::cuda::device
