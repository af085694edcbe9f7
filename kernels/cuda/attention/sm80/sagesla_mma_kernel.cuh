#pragma once

// SageSLA for every GPU since Ampere, as upstream has it on those: sla's blocks of 128 queries and 64 keys,
// SageAttention 1's scores over them, V as it came.

#include "kernels/cuda/attention/sm80/int8_tiles.cuh"
#include "kernels/cuda/attention/sm80/sla_mma_kernel.cuh"

namespace reelgrid::kernels::cuda::device {

static_assert(kSageQueries == kSparseQueries && kSageKeys == kSparseKeys);

struct SageslaMmaCall {
    SlaMmaCall sparse;  ///< its q is read for the linear branch alone, its k is not; its shape's scale is 1
    Int8Operands operands;
};

template <class C>
struct SageslaMmaBlock : SlaMmaBlock<C> {
    using Base = SlaMmaBlock<C>;
    using Base::kScores, Base::kOutputs;
    using Base::warp, Base::lane, Base::qShared, Base::kShared, Base::vShared, Base::call;
    using Rows = Int8Tiles<C>;
    static constexpr int kInt8Keys = C::kKeys * C::kHeadDim, kInt8Queries = C::kQueries * C::kHeadDim;

    const Int8Operands& operands;

    __device__ void attend() const {
        using namespace ampere;
        const Fav2Call& tiles = call.tiles;
        const AttentionShape& shape = tiles.shape;
        const int index = static_cast<int>(blockIdx.x) % tiles.queryTiles;
        const int queryHead = static_cast<int>(blockIdx.x) / tiles.queryTiles;  // over all batches
        const int head = queryHead % shape.queryHeads, batch = queryHead / shape.queryHeads;
        const int firstQuery = index * C::kQueries, row = firstQuery + 32 * warp + lane / 4;
        const std::int32_t* chosen = call.kept.blocksOf(static_cast<int>(blockIdx.x));
        const int count = call.kept.countOf(static_cast<int>(blockIdx.x));

        float outputs[2][kOutputs];
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (float& value : outputs[m]) value = 0;
        OnlineSoftmax softmax[2];
        const ScoreScales scales(operands, queryHead, firstQuery, shape.queryHeadsPerKeyHead);
        const std::int8_t* const k = operands.k.head(queryHead / shape.queryHeadsPerKeyHead);
        const HeadRows<C> v(
            tiles.v, batch * tiles.vStrides.batch + head / shape.queryHeadsPerKeyHead * tiles.vStrides.head,
            tiles.vStrides.token);
        Rows::template copyRun<kInt8Queries>(
            qShared, operands.q.head(queryHead) + std::int64_t{firstQuery} * C::kHeadDim);
        int block = __ldg(chosen);
        Rows::template copyRun<kInt8Keys>(kShared, k + std::int64_t{block} * kInt8Keys);
        commitCopies();
        for (int n = 0; n < count; ++n) {
            const int next = n + 1 < count ? __ldg(chosen + n + 1) : 0;
            const float scale = scales.of(block);
            waitCopies<0>();
            __syncthreads();  // this block of keys is there, the values of the one before were read
            v.template copy<C::kKeys>(vShared, block * C::kKeys, shape.keys, shape.headDim);
            commitCopies();
            if (n + 1 < count)
                Rows::template copyRun<kInt8Keys>(kShared + (n + 1) % 2 * kInt8Keys,
                                                  k + std::int64_t{next} * kInt8Keys);
            commitCopies();
#pragma unroll 1
            for (int part = 0; part < C::kKeys / C::kPart; ++part) {
                const int firstKey = block * C::kKeys + part * C::kPart;
                float scores[2][kScores];
                Rows::multiply(scores, qShared, kShared + n % 2 * kInt8Keys + part * C::kPart * C::kHeadDim,
                               warp, lane);
                if (firstKey + C::kPart > shape.keys)
#pragma unroll
                    for (int m = 0; m < 2; ++m)
                        biasAndHide(scores[m], shape, firstKey, row + 16 * m, lane, true);
                this->rise(outputs, scores, softmax, scale);
                if (part == 0) {
                    waitCopies<1>();
                    __syncthreads();  // this block of values is there
                }
                this->multiplyValues(outputs, scores, softmax, scale,
                                     vShared + part * C::kPart * C::kRowBytes);
            }
            block = next;
        }
        if constexpr (C::kBranch == Branch::Linear) {
            __syncthreads();  // the integers were read
            const HeadRows<C> q(tiles.q, batch * tiles.qStrides.batch + head * tiles.qStrides.head,
                                tiles.qStrides.token);
            q.template copy<C::kQueries>(qShared, firstQuery, shape.queries, shape.headDim);
            commitCopies();  // there with the first matrix
        }
        this->finishTile(outputs, softmax, row, head, batch);
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBlocks)
    sageslaMmaKernel(const __grid_constant__ SageslaMmaCall call) {
    extern __shared__ __align__(128) std::uint8_t raw[];
    const std::uint32_t queries = ampere::sharedAddress(raw);
    const std::uint32_t keys = queries + C::kQueries * C::kRowBytes;
    const SageslaMmaBlock<C> block{{{call.sparse.tiles, queries, keys, keys + 2 * C::kKeyBytes,
                                     static_cast<int>(threadIdx.x) / 32, static_cast<int>(threadIdx.x) % 32},
                                    call.sparse},
                                   call.operands};
    block.attend();
}

}  // namespace reelgrid::kernels::cuda::device
