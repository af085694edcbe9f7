#pragma once

// SageAttention 1 for every GPU since Ampere on fav2's parts: a block holds 128 queries, each of its four
// warps 32 of them. Quantised rows lie as core matrices, so that a tile of them is one run of bytes.

#include "kernels/cuda/attention/quantise/int8_scores.cuh"
#include "kernels/cuda/attention/sm80/fav2_kernel.cuh"

namespace reelgrid::kernels::cuda::device {

struct Sagev1MmaCall {
    Fav2Call tiles;  ///< its q and k are not read; its shape's scale is 1: the queries hold it
    Int8Operands operands;
};

template <class Element_, int kHeadDim_>
struct Sagev1MmaConfig : Fav2Config<Element_, kHeadDim_> {
    using Base = Fav2Config<Element_, kHeadDim_>;
    static constexpr int kInt8Rows = kHeadDim_ * kSageKeys;  ///< bytes of a tile of keys
    static constexpr int kInt8Queries = kHeadDim_ * Base::kQueries;
    static constexpr int kSharedBytes = kInt8Queries + 2 * kInt8Rows + Base::kKeyBytes;
    static_assert(Base::kKeys == kSageKeys && Base::kQueries == kSageQueries);
};

template <class C>
struct Sagev1MmaBlock : Fav2Block<C> {
    using Base = Fav2Block<C>;
    using Element = typename C::Element;
    using Base::kScores, Base::kOutputs;
    using Base::qShared, Base::kShared, Base::vShared, Base::warp, Base::lane;

    const Int8Operands& operands;

    template <int kBytes>
    __device__ static void copyRun(std::uint32_t to, const std::int8_t* from) {
#pragma unroll
        for (int i = 0; i < kBytes / (16 * C::kThreads); ++i) {
            const int place = 16 * (i * C::kThreads + static_cast<int>(threadIdx.x));
            ampere::copy16(to + place, from + place);
        }
    }

    /// Scores without their scale.
    __device__ void multiplyIntegers(float (&scores)[2][kScores], std::uint32_t keys) const {
        using namespace ampere;
        std::int32_t sums[2][kScores];
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (std::int32_t& sum : sums[m]) sum = 0;
        const auto placeOf = [](int row, int column) {  // of a core matrix's row of 16 bytes
            return row / 8 * (8 * C::kHeadDim) + column * 128 + row % 8 * 16;
        };
#pragma unroll
        for (int step = 0; step < C::kHeadDim / 32; ++step) {
            std::uint32_t q[2][4];
#pragma unroll
            for (int m = 0; m < 2; ++m)
                loadMatrices(q[m], qShared + placeOf(32 * warp + 16 * m + lane % 16, 2 * step + lane / 16));
#pragma unroll
            for (int n = 0; n < C::kPart / 16; ++n) {
                std::uint32_t k[4];
                loadMatrices(k, keys + placeOf(16 * n + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
#pragma unroll
                for (int m = 0; m < 2; ++m) {
                    multiplyInt8(&sums[m][8 * n], q[m], k[0], k[1]);
                    multiplyInt8(&sums[m][8 * n + 4], q[m], k[2], k[3]);
                }
            }
        }
        using Scores = Int8Scores<kScores>;
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (int i = 0; i < kScores; ++i) scores[m][i] = Scores::floatOf(sums[m][i]) - Scores::kOffset;
    }

    __device__ void attend() const {
        using namespace ampere;
        const Fav2Call& call = this->call;
        const AttentionShape& shape = call.shape;
        int index = static_cast<int>(blockIdx.x) % call.queryTiles;
        if (shape.mask == Mask::Causal) index = call.queryTiles - 1 - index;  // the longest first
        const int head = static_cast<int>(blockIdx.x) / call.queryTiles;      // over all batches
        const int batch = head / shape.queryHeads, keyHead = head / shape.queryHeadsPerKeyHead;
        const int firstQuery = index * C::kQueries;
        const int last = min(firstQuery + C::kQueries, shape.queries) - 1;
        const int keyTiles = (shape.seenBy(last) + C::kKeys - 1) / C::kKeys;

        float outputs[2][kOutputs];
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (float& value : outputs[m]) value = 0;
        OnlineSoftmax softmax[2];
        const int row = firstQuery + 32 * warp + lane / 4;
        if (keyTiles > 0) {
            const int seenByAll = shape.seenBy(firstQuery + 32 * warp);  // by every query of the warp
            const ScoreScales scales(operands, head, firstQuery, shape.queryHeadsPerKeyHead);
            const std::int8_t* const k = operands.k.head(keyHead);
            const HeadRows<C> v(
                call.v,
                batch * call.vStrides.batch +
                    keyHead % (shape.queryHeads / shape.queryHeadsPerKeyHead) * call.vStrides.head,
                call.vStrides.token);
            copyRun<C::kInt8Queries>(qShared, operands.q.head(head) + std::int64_t{firstQuery} * C::kHeadDim);
            copyRun<C::kInt8Rows>(kShared, k);
            commitCopies();
            for (int n = 0; n < keyTiles; ++n) {
                const float tileScale = scales.of(n);
                waitCopies<0>();
                __syncthreads();  // this tile of keys is there, the values of the one before were read
                v.template copy<C::kKeys>(vShared, n * C::kKeys, shape.keys, shape.headDim);
                commitCopies();
                if (n + 1 < keyTiles)
                    copyRun<C::kInt8Rows>(kShared + (n + 1) % 2 * C::kInt8Rows,
                                          k + std::int64_t{n + 1} * C::kInt8Rows);
                commitCopies();
#pragma unroll 1
                for (int part = 0; part < C::kKeys / C::kPart; ++part) {
                    const int firstKey = n * C::kKeys + part * C::kPart;
                    float scores[2][kScores], scale = tileScale;
                    multiplyIntegers(scores, kShared + n % 2 * C::kInt8Rows + part * C::kPart * C::kHeadDim);
                    const bool hides = firstKey + C::kPart > seenByAll;
                    if (shape.keyBias != nullptr) {
#pragma unroll
                        for (int m = 0; m < 2; ++m)
#pragma unroll
                            for (float& score : scores[m]) score *= tileScale;
                        scale = 1;
                    }
                    if (hides || shape.keyBias != nullptr)
#pragma unroll
                        for (int m = 0; m < 2; ++m)
                            biasAndHide(scores[m], shape, firstKey, row + 16 * m, lane, hides);
                    this->rise(outputs, scores, softmax, scale);
                    if (part == 0) {
                        waitCopies<1>();
                        __syncthreads();  // this tile of values is there
                    }
                    this->multiplyValues(outputs, scores, softmax, scale,
                                         vShared + part * C::kPart * C::kRowBytes);
                }
            }
        }
#pragma unroll
        for (int m = 0; m < 2; ++m) {
            storeRows<Element, C::kHeadDim>(outputs[m], softmax[m], shape, row + 16 * m, lane,
                                            head % shape.queryHeads, batch);
            operands.shiftLogSumExp(shape, row + 16 * m, lane, head);
        }
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBlocks)
    sagev1MmaKernel(const __grid_constant__ Sagev1MmaCall call) {
    extern __shared__ __align__(128) std::uint8_t raw[];
    const std::uint32_t queries = ampere::sharedAddress(raw);
    const std::uint32_t keys = queries + C::kInt8Queries;
    const Sagev1MmaBlock<C> block{{call.tiles, queries, keys, keys + 2 * C::kInt8Rows,
                                   static_cast<int>(threadIdx.x) / 32, static_cast<int>(threadIdx.x) % 32},
                                  call.operands};
    block.attend();
}

}  // namespace reelgrid::kernels::cuda::device
