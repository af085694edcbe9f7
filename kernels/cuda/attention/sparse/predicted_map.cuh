#pragma once

// sparge's map: the blocks of keys whose mean keys hold most of a mean query's softmax, and all whose mean
// doesn't stand for them. Means and scores are sla's (sla_map.cuh); what is added up to find where to end is
// fp64, of weights in fp32.

#include "kernels/cuda/attention/sla/sla_map.cuh"
#include "kernels/cuda/attention/sparse/row_directions.cuh"

namespace reelgrid::kernels::cuda::device {

struct KeysAlikeCall {
    const void* k;
    Strides kStrides;
    int keys, headDim, keyHeads, keyBlocks, runs;
    const float* keySums;  ///< [batch][key heads][runs][D]
    float similarity;
    std::uint8_t* alike;  ///< [batch][key heads][key blocks]
};

constexpr int kKeysAlikeThreads = 256;

/// A warp a block of keys, less the mean of all.
template <class Element, int kHeadDim>
__global__ void __launch_bounds__(kKeysAlikeThreads) keysAlike(const __grid_constant__ KeysAlikeCall call) {
    afterPrevious();
    __shared__ float mean[kHeadDim];
    const std::int64_t head = blockIdx.y;
    if (threadIdx.x < kHeadDim) {
        float sum = 0;
        for (int run = 0; run < call.runs; ++run)
            sum += call.keySums[(head * call.runs + run) * kHeadDim + threadIdx.x];
        sum /= static_cast<float>(call.keys);
        mean[threadIdx.x] = isfinite(sum) ? sum : 0.0F;
    }
    __syncthreads();
    const int block = static_cast<int>(blockIdx.x) * (kKeysAlikeThreads / 32) + threadIdx.x / 32;
    if (block >= call.keyBlocks) return;
    const int first = block * kSparseKeys, end = min(first + kSparseKeys, call.keys);
    const auto* rows = static_cast<const Element*>(call.k) + head / call.keyHeads * call.kStrides.batch +
                       head % call.keyHeads * call.kStrides.head;
    RowDirections<Element, kHeadDim> directions;
    directions.template add<kSparseKeys>(rows, call.kStrides.token, first, end, call.headDim, mean);
    directions.sumOverRows();
    const bool alike = directions.areAlike(end - first, call.similarity);
    if (threadIdx.x % 32 == 0) call.alike[head * call.keyBlocks + block] = alike ? 1 : 0;
}

struct PredictedMapCall {
    SlaMapCall map;  ///< `count` of it is how many blocks a row of `chosen` has room for: all
    const std::uint8_t* alike;
    float similarity;
    float scale;  ///< times log2(e)
    double cdf;
    std::int32_t* counts;  ///< [batch][query heads][query blocks]
};

template <class C>
struct PredictedMapBlock : SlaMapBlock<C> {
    using Base = SlaMapBlock<C>;
    using Element = typename C::Element;
    using Base::call, Base::queryMeans, Base::scores, Base::head, Base::firstBlock, Base::warp, Base::lane,
        Base::keyHead;
    /// Of a block that is kept whatever it scores; weights are at most 1, as integers below it.
    static constexpr std::uint32_t kAlways = 0xFFFFFFFFU;

    const PredictedMapCall& prediction;

    /// The mean of a warp's block of queries; whether they are alike.
    __device__ bool lookAtQueries() const {
        const int first = (firstBlock + warp) * C::kQueries, end = min(first + C::kQueries, call.queries);
        const auto* rows = static_cast<const Element*>(call.q) +
                           head / call.queryHeads * call.qStrides.batch +
                           head % call.queryHeads * call.qStrides.head;
        RowDirections<Element, C::kHeadDim> directions;
        directions.template add<C::kQueries>(rows, call.qStrides.token, first, end, call.headDim, nullptr);
        directions.sumOverRows();
        const int count = max(end - first, 1);
        if (lane < RowDirections<Element, C::kHeadDim>::kColumns)
#pragma unroll
            for (int d = 0; d < 8; ++d)
                queryMeans[warp * C::kHeadDim + 8 * lane + d] =
                    directions.sums[d] / static_cast<float>(count);
        return directions.areAlike(count, prediction.similarity);
    }

    /// The score that ordered() made an integer of.
    __device__ static float scoreOf(std::uint32_t bits) {
        return __uint_as_float(bits ^ ((bits & 0x80000000U) != 0 ? 0x80000000U : 0xFFFFFFFFU));
    }

    /// Scores become weights relative to the highest of blocks that are alike.
    __device__ void weigh(std::uint32_t* row) const {
        const std::uint8_t* alike = prediction.alike + keyHead * call.keyBlocks;
        std::uint32_t most = 0;
        for (int i = lane; i < call.choices; i += 32)
            if (alike[i] != 0) most = max(most, row[i]);
        most = __reduce_max_sync(0xffffffffU, most);
        for (int i = lane; i < call.choices; i += 32) {
            const float below = scoreOf(row[i]) - scoreOf(most);
            // Infinities: all alike the highest.
            const float weight = isnan(below) ? 1.0F : exp2f(below * prediction.scale);
            row[i] = alike[i] != 0 ? __float_as_uint(weight) : kAlways;
        }
        __syncwarp();
    }

    /// The sum of the weights that are at least so large.
    __device__ double sumFrom(const std::uint32_t* row, std::uint32_t least) const {
        double sum = 0;
        for (int i = lane; i < call.choices; i += 32) {
            const std::uint32_t bits = row[i];
            if (bits >= least && bits != kAlways) sum += static_cast<double>(__uint_as_float(bits));
        }
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(0xffffffffU, sum, distance);
        return sum;
    }

    /// A warp's block of queries: the largest weights while their sum isn't above the share asked for, at
    /// least one, and what is kept always.
    __device__ void predict(bool areQueriesAlike) const {
        if (firstBlock + warp >= call.queryBlocks) return;
        const std::int64_t place = std::int64_t{head} * call.queryBlocks + firstBlock + warp;
        std::int32_t* to = call.chosen + place * call.count;
        if (!areQueriesAlike) {
            for (int i = lane; i < call.choices; i += 32) to[i] = i;
            if (lane == 0) prediction.counts[place] = call.choices;
            return;
        }
        std::uint32_t* row = scores + warp * call.choices;
        weigh(row);
        const double limit = prediction.cdf * sumFrom(row, 0);
        // The largest weight that doesn't go in whole: all above it do.
        std::uint32_t threshold = 0;
        for (std::uint32_t bit = 0x20000000U; bit != 0; bit >>= 1)
            if (sumFrom(row, threshold | bit) > limit) threshold |= bit;
        const double above = sumFrom(row, threshold + 1);
        const double each = static_cast<double>(__uint_as_float(threshold));
        const double fit = each > 0 ? floor((limit - above) / each) : static_cast<double>(call.choices);
        int equals =
            static_cast<int>(fmin(fmax(fit, above > 0 ? 0.0 : 1.0), static_cast<double>(call.choices)));
        int kept = 0;
        for (int first = 0; first < call.choices; first += 32) {
            const int block = first + lane;
            const bool there = block < call.choices;
            const std::uint32_t bits = there ? row[block] : 0;
            const std::uint32_t before = (1U << lane) - 1;
            const std::uint32_t allEqual = __ballot_sync(0xffffffffU, there && bits == threshold);
            const bool taken =
                there && (bits > threshold || (bits == threshold && __popc(allEqual & before) < equals));
            const std::uint32_t allTaken = __ballot_sync(0xffffffffU, taken);
            if (taken) to[kept + __popc(allTaken & before)] = block;
            kept += __popc(allTaken);
            equals -= min(equals, __popc(allEqual));
        }
        if (lane == 0) prediction.counts[place] = kept;
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads) predictedMap(const __grid_constant__ PredictedMapCall call) {
    extern __shared__ __align__(16) float floats[];
    float* const keyMean = floats + C::kQueryBlocks * C::kHeadDim;
    float* const tile = keyMean + C::kHeadDim;
    const PredictedMapBlock<C> block{
        {call.map, floats, keyMean, tile,
         reinterpret_cast<std::uint32_t*>(tile + C::kTileBlocks * C::kTilePitch)},
        call};
    const bool areQueriesAlike = block.lookAtQueries();
    afterPrevious();
    block.meanOfKeys();
    block.scoreTiles();
    block.predict(areQueriesAlike);
}

}  // namespace reelgrid::kernels::cuda::device
