#pragma once

// SageAttention 1 for every GPU since Ampere on fav2's parts: a block holds 128 queries, each of its four
// warps 32 of them. Quantised rows lie as core matrices, so that a tile of them is one run of bytes. So are
// fav3_sage and sagev2 where there are no e4m3 products: only which rows share a scale is another.

#include "kernels/cuda/attention/sm80/fav2_kernel.cuh"
#include "kernels/cuda/attention/sm80/int8_tiles.cuh"

namespace reelgrid::kernels::cuda::device {

/// Operands: Int8Operands, for sagev1, or GrainedOperands (grained_operands.cuh).
template <class Operands>
struct Sagev1MmaCall {
    Fav2Call tiles;  ///< its q and k are not read; its shape's scale is 1: the queries hold it
    Operands operands;
};

/// The scales of sagev1's tiles of keys for the queries of one block.
__device__ inline ScoreScales tileScales(const Int8Operands& operands, int head, int headsPerKeyHead,
                                         int firstQuery, int /*lane*/) {
    return {operands, head, firstQuery, headsPerKeyHead};
}

template <class Element_, int kHeadDim_>
struct Sagev1MmaConfig : Fav2Config<Element_, kHeadDim_> {
    using Base = Fav2Config<Element_, kHeadDim_>;
    static constexpr int kInt8Rows = kHeadDim_ * kSageKeys;  ///< bytes of a tile of keys
    static constexpr int kInt8Queries = kHeadDim_ * Base::kQueries;
    static constexpr int kSharedBytes = kInt8Queries + 2 * kInt8Rows + Base::kKeyBytes;
    static_assert(Base::kKeys == kSageKeys && Base::kQueries == kSageQueries);
};

template <class C, class Operands>
struct Sagev1MmaBlock : Fav2Block<C> {
    using Base = Fav2Block<C>;
    using Element = typename C::Element;
    using Base::kScores, Base::kOutputs;
    using Base::qShared, Base::kShared, Base::vShared, Base::warp, Base::lane;

    using Rows = Int8Tiles<C>;

    const Operands& operands;

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
            const auto scales =
                tileScales(operands, head, shape.queryHeadsPerKeyHead, firstQuery + 32 * warp, lane);
            const std::int8_t* const k = operands.k.head(keyHead);
            const HeadRows<C> v(
                call.v,
                batch * call.vStrides.batch +
                    keyHead % (shape.queryHeads / shape.queryHeadsPerKeyHead) * call.vStrides.head,
                call.vStrides.token);
            Rows::template copyRun<C::kInt8Queries>(
                qShared, operands.q.head(head) + std::int64_t{firstQuery} * C::kHeadDim);
            Rows::template copyRun<C::kInt8Rows>(kShared, k);
            commitCopies();
            for (int n = 0; n < keyTiles; ++n) {
                const float tileScale = scales.of(n);
                waitCopies<0>();
                __syncthreads();  // this tile of keys is there, the values of the one before were read
                v.template copy<C::kKeys>(vShared, n * C::kKeys, shape.keys, shape.headDim);
                commitCopies();
                if (n + 1 < keyTiles)
                    Rows::template copyRun<C::kInt8Rows>(kShared + (n + 1) % 2 * C::kInt8Rows,
                                                         k + std::int64_t{n + 1} * C::kInt8Rows);
                commitCopies();
#pragma unroll 1
                for (int part = 0; part < C::kKeys / C::kPart; ++part) {
                    const int firstKey = n * C::kKeys + part * C::kPart;
                    float scores[2][kScores], scale = tileScale;
                    Rows::multiply(scores, qShared,
                                   kShared + n % 2 * C::kInt8Rows + part * C::kPart * C::kHeadDim, warp,
                                   lane);
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

template <class C, class Operands>
__global__ void __launch_bounds__(C::kThreads, C::kBlocks)
    sagev1MmaKernel(const __grid_constant__ Sagev1MmaCall<Operands> call) {
    extern __shared__ __align__(128) std::uint8_t raw[];
    const std::uint32_t queries = ampere::sharedAddress(raw);
    const std::uint32_t keys = queries + C::kInt8Queries;
    const Sagev1MmaBlock<C, Operands> block{
        {call.tiles, queries, keys, keys + 2 * C::kInt8Rows, static_cast<int>(threadIdx.x) / 32,
         static_cast<int>(threadIdx.x) % 32},
        call.operands};
    block.attend();
}

}  // namespace reelgrid::kernels::cuda::device
