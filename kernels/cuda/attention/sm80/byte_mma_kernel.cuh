#pragma once

// fav3_sage, sagev2 and fav3_fp8 for GPUs of compute capability 8.9 and newer: scores of int8 or e4m3,
// weights and values of e4m3. As in fav2_kernel.cuh a block holds 128 queries, each of its four warps 32 of
// them, and keys are walked from the first tile to the last. Operands come quantised and laid out from the
// workspace, in whole tiles. The tensor cores add up the products of one tile, in the few bits that they
// keep; tiles are added up in fp32.

#include "kernels/cuda/attention/score_rows.cuh"
#include "kernels/cuda/attention/sm80/byte_scales.cuh"
#include "kernels/cuda/attention/sm80/byte_softmax.cuh"
#include "kernels/cuda/attention/sm80/int8_tiles.cuh"

namespace reelgrid::kernels::cuda::device {

struct ByteMmaCall {
    AttentionShape shape;  ///< its scale is 1: it lies in the factors
    QuantisedOperands operands;
    ScaleEntries entries;
    float scoreFactor;  ///< what a score is multiplied by beside the scales of its row and column
    WeightRange range;
    DataType outType;
    int queryTiles;  ///< of a head
};

/// What the tensor cores add a tile's products up in: fp16 holds 64 keys' weights of 448 times values of
/// kMostOfHalfSums.
enum class TileSums { Fp32, Fp16 };
constexpr float kMostOfHalfSums = 2.25F;

/// Score_: std::int32_t for int8 scores, float for e4m3 ones.
template <class Score_, int kHeadDim_, TileSums kTileSums_ = TileSums::Fp32>
struct ByteMmaConfig {
    using Score = Score_;
    static constexpr TileSums kTileSums = kTileSums_;
    static constexpr int kHeadDim = kHeadDim_;
    static constexpr int kThreads = 128;
    static constexpr int kBlocks = 2;  ///< of a multiprocessor, 48 KB each at most
    static constexpr int kQueries = 128, kKeys = 64;
    static constexpr int kQueryBytes = kQueries * kHeadDim, kKeyBytes = kKeys * kHeadDim;
    static constexpr int kStages = 2;  ///< of keys and values
    static constexpr int kSharedBytes = kQueryBytes + 2 * kStages * kKeyBytes;
};

template <class C>
struct ByteMmaBlock {
    using Score = typename C::Score;
    using Rows = Int8Tiles<C>;
    static constexpr int kScores = C::kKeys / 2;
    static constexpr int kOutputs = C::kHeadDim / 2;
    static constexpr int kFactors = C::kKeys / kColumnsOfFactor;
    using Softmax = ByteSoftmax<kScores>;

    const ByteMmaCall& call;
    const std::uint32_t qShared, kShared, vShared;
    const int warp, lane;

    /// A base that suits the scores, when they ask for one; outputs follow.
    __device__ static void rise(float (&outputs)[2][kOutputs], const float (&scores)[2][kScores],
                                const float (&factors)[kFactors], Softmax (&softmax)[2]) {
        float here[2][2];
        bool high = false;
#pragma unroll
        for (int m = 0; m < 2; ++m) high |= softmax[m].isHigh(scores[m], factors, here[m]);
        if (!__any_sync(0xffffffffU, high)) return;
#pragma unroll
        for (int m = 0; m < 2; ++m) {
            float factor[2];
            softmax[m].rise(here[m], factor);
#pragma unroll
            for (int i = 0; i < kOutputs; ++i) outputs[m][i] *= factor[i / 2 % 2];
        }
    }

    /// The i-th of sums of 16 rows and 16 columns.
    __device__ static float tileSum(const float* sums, int i) {
        return sums[i];
    }
    __device__ static float tileSum(const std::uint32_t* sums, int i) {
        return __half2float(__ushort_as_half(static_cast<unsigned short>(sums[i / 2] >> (i % 2 * 16))));
    }

    /// Adds the products of a tile's weights and values to the outputs.
    __device__ void multiplyValues(float (&outputs)[2][kOutputs],
                                   const std::uint32_t (&weights)[2][kFactors][4],
                                   std::uint32_t values) const {
        using namespace ampere;
#pragma unroll
        for (int n = 0; n < C::kHeadDim / 16; ++n) {
            std::uint32_t v[kFactors][4];
#pragma unroll
            for (int step = 0; step < kFactors; ++step)  // sixteen keys of a channel are a row
                loadMatrices(v[step], values + (2 * step + lane / 8 % 2) * (16 * C::kHeadDim) +
                                          (16 * n + lane / 16 * 8 + lane % 8) * 16);
#pragma unroll
            for (int m = 0; m < 2; ++m) {
                constexpr int kSums = C::kTileSums == TileSums::Fp32 ? 4 : 2;  // registers
                std::conditional_t<C::kTileSums == TileSums::Fp32, float, std::uint32_t> sums[2 * kSums] = {};
#pragma unroll
                for (int step = 0; step < kFactors; ++step) {
                    multiplyE4m3(sums, weights[m][step], v[step][0], v[step][1]);
                    multiplyE4m3(sums + kSums, weights[m][step], v[step][2], v[step][3]);
                }
#pragma unroll
                for (int i = 0; i < 8; ++i) outputs[m][8 * n + i] += tileSum(sums, i);
            }
        }
    }

    __device__ void attend() const {
        using namespace ampere;
        const AttentionShape& shape = call.shape;
        const QuantisedOperands& x = call.operands;
        int index = static_cast<int>(blockIdx.x) % call.queryTiles;
        if (shape.mask == Mask::Causal) index = call.queryTiles - 1 - index;  // the longest first
        const int head = static_cast<int>(blockIdx.x) / call.queryTiles;      // over all batches
        const int keyHead = head / shape.queryHeadsPerKeyHead;
        const int firstQuery = index * C::kQueries, firstRow = firstQuery + 32 * warp;
        const int last = min(firstQuery + C::kQueries, shape.queries) - 1;
        const int keyTiles = (shape.seenBy(last) + C::kKeys - 1) / C::kKeys;

        float outputs[2][kOutputs];
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (float& value : outputs[m]) value = 0;
        Softmax softmax[2] = {{call.range}, {call.range}};
        const int row = firstRow + lane / 4;
        if (keyTiles > 0) {
            const int seenByAll = shape.seenBy(firstRow);  // by every query of the warp
            const ByteScales scales(call.entries, x, head, keyHead, firstRow, lane);
            const std::uint8_t* const k = x.k + std::int64_t{keyHead} * x.keyRows * C::kHeadDim;
            const std::uint8_t* const v = x.v + std::int64_t{keyHead} * x.keyRows * C::kHeadDim;
            const auto copyTile = [&](int n) {
                Rows::template copyRun<C::kKeyBytes>(kShared + n % C::kStages * C::kKeyBytes,
                                                     k + std::int64_t{n} * C::kKeyBytes);
                Rows::template copyRun<C::kKeyBytes>(vShared + n % C::kStages * C::kKeyBytes,
                                                     v + std::int64_t{n} * C::kKeyBytes);
                commitCopies();
            };
            Rows::template copyRun<C::kQueryBytes>(
                qShared, x.q + (std::int64_t{head} * x.queryRows + firstQuery) * C::kHeadDim);
            copyTile(0);
#pragma unroll 1
            for (int n = 0; n < keyTiles; ++n) {
                float factors[kFactors];
#pragma unroll
                for (int i = 0; i < kFactors; ++i) factors[i] = scales.of(n * kFactors + i, call.scoreFactor);
                waitCopies<0>();
                __syncthreads();  // this tile is there, the one before was read
                if (n + 1 < keyTiles) copyTile(n + 1);
                const std::uint32_t stage = n % C::kStages * C::kKeyBytes;
                float scores[2][kScores];
                {
                    Score sums[2][kScores];
                    Rows::sumProducts(sums, qShared, kShared + stage, warp, lane);
#pragma unroll
                    for (int m = 0; m < 2; ++m)
#pragma unroll
                        for (int i = 0; i < kScores; ++i) scores[m][i] = static_cast<float>(sums[m][i]);
                }
                const int firstKey = n * C::kKeys;
                const bool hides = firstKey + C::kKeys > seenByAll;
                if (shape.keyBias != nullptr) {
#pragma unroll
                    for (int m = 0; m < 2; ++m)
#pragma unroll
                        for (int i = 0; i < kScores; ++i) scores[m][i] *= factors[i / 16];
#pragma unroll
                    for (float& factor : factors) factor = 1;
                }
                if (hides || shape.keyBias != nullptr)
#pragma unroll
                    for (int m = 0; m < 2; ++m)
                        biasAndHide(scores[m], shape, firstKey, row + 16 * m, lane, hides);
                rise(outputs, scores, factors, softmax);
                std::uint32_t weights[2][kFactors][4];
#pragma unroll
                for (int m = 0; m < 2; ++m) softmax[m].weigh(scores[m], factors, weights[m]);
                multiplyValues(outputs, weights, vShared + stage);
            }
            finishOutputs(outputs, softmax, row, head, keyHead);
        }
        const int inBatch = head % shape.queryHeads, batch = head / shape.queryHeads;
#pragma unroll
        for (int m = 0; m < 2; ++m) {
            if (call.outType == DataType::Float16)
                storeRows<__half, C::kHeadDim>(outputs[m], softmax[m], shape, row + 16 * m, lane, inBatch,
                                               batch);
            else
                storeRows<__nv_bfloat16, C::kHeadDim>(outputs[m], softmax[m], shape, row + 16 * m, lane,
                                                      inBatch, batch);
        }
    }

    /// The scales of V, and what smoothing took from the log-sum-exp.
    __device__ void finishOutputs(float (&outputs)[2][kOutputs], Softmax (&softmax)[2], int row, int head,
                                  int keyHead) const {
        const QuantisedOperands& x = call.operands;
        const float* const scales = x.vScales + std::int64_t{keyHead} * C::kHeadDim;
#pragma unroll
        for (int j = 0; j < C::kHeadDim / 8; ++j) {
            const float2 scale = __ldg(reinterpret_cast<const float2*>(scales + 8 * j + lane % 4 * 2));
#pragma unroll
            for (int m = 0; m < 2; ++m) {
                outputs[m][4 * j] *= scale.x;
                outputs[m][4 * j + 1] *= scale.y;
                outputs[m][4 * j + 2] *= scale.x;
                outputs[m][4 * j + 3] *= scale.y;
            }
        }
        if (x.lseShifts == nullptr) return;
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                const int query = row + 16 * m + 8 * r;
                if (query < call.shape.queries)
                    softmax[m].shift[r] =
                        __ldg(x.lseShifts + std::int64_t{head} * call.shape.queries + query);
            }
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBlocks)
    byteMmaKernel(const __grid_constant__ ByteMmaCall call) {
    extern __shared__ __align__(128) std::uint8_t raw[];
    const std::uint32_t queries = ampere::sharedAddress(raw);
    const std::uint32_t keys = queries + C::kQueryBytes;
    const ByteMmaBlock<C> block{call,
                                queries,
                                keys,
                                keys + C::kStages * C::kKeyBytes,
                                static_cast<int>(threadIdx.x) / 32,
                                static_cast<int>(threadIdx.x) % 32};
    block.attend();
}

}  // namespace reelgrid::kernels::cuda::device
