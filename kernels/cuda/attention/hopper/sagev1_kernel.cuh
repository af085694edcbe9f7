#pragma once

// SageAttention 1 for Hopper on fav3's parts: scores are int8 products, weights and values sixteen-bit.
// Quantised rows lie as core matrices, so that a tile of them is one run of bytes. sm_90a.

#include "kernels/cuda/attention/hopper/fav3_kernel.cuh"
#include "kernels/cuda/attention/hopper/wgmma_bytes.cuh"
#include "kernels/cuda/attention/quantise/int8_scores.cuh"

namespace reelgrid::kernels::cuda::device {

struct Sagev1Call {
    Fav3Call tiles;  ///< its shape's scale is 1: the queries hold it
    Int8Operands operands;
};

template <class Element_, int kHeadDim_>
struct Sagev1Config {
    using Element = Element_;
    static constexpr int kHeadDim = kHeadDim_;
    static constexpr int kGroups = kHeadDim == 128 ? 3 : 4;
    static constexpr int kQueries = 64 * kGroups;
    // Scores, weights and outputs: 32 + 16 + 64 of 160 registers, or 32 + 16 + 32 of 112.
    static constexpr int kKeys = kSageKeys;
    static constexpr int kStages = 4;
    static constexpr Turns kTurns = kHeadDim == 128 ? Turns::InOrder : Turns::Free;
    static constexpr int kThreads = 128 * (kGroups + 1);
    static constexpr int kCopyRegisters = 32, kComputeRegisters = kGroups == 3 ? 160 : 112;
    static constexpr int kHalves = kHeadDim / 64;
    static constexpr int kQueryBytes = kQueries * kHeadDim, kKeyBytes = kKeys * kHeadDim;
    static constexpr int kValueBytes = 2 * kKeyBytes;
};

template <class C>
struct Sagev1Shared {
    alignas(1024) typename C::Element v[C::kStages][C::kHalves][C::kKeys][64];
    alignas(128) std::int8_t q[C::kQueryBytes];
    alignas(128) std::int8_t k[C::kStages][C::kKeyBytes];
    hopper::Barrier qFull, qEmpty;
    hopper::Barrier kFull[C::kStages], kEmpty[C::kStages];
    hopper::Barrier vFull[C::kStages], vEmpty[C::kStages];
};

/// One thread asks the copy engine for every tile, in the order of use.
template <class C>
__device__ void copyInt8Tiles(Sagev1Shared<C>& shared, const CUtensorMap& vMap, const Sagev1Call& call) {
    using namespace hopper;
    RingPlace<C::kStages> kPlace, vPlace;
    std::uint32_t qParity = 0;
    const auto open = [](Barrier& full, Barrier& empty, std::uint32_t parity, int bytes) {
        empty.wait(parity ^ 1);
        full.arriveExpecting(bytes);
    };
    const AttentionShape& shape = call.tiles.shape;
    for (int index = static_cast<int>(blockIdx.x); index < call.tiles.tiles;
         index += static_cast<int>(gridDim.x)) {
        const Fav3Tile<C> tile(call.tiles, index);
        if (tile.keyTiles == 0) continue;
        const int keyHead = tile.head / shape.queryHeadsPerKeyHead;
        const std::int8_t* const q = call.operands.q.head(tile.batch * shape.queryHeads + tile.head);
        const std::int8_t* const k =
            call.operands.k.head(tile.batch * (shape.queryHeads / shape.queryHeadsPerKeyHead) + keyHead);
        const auto copyK = [&](int n) {
            open(shared.kFull[kPlace.stage], shared.kEmpty[kPlace.stage], kPlace.parity, C::kKeyBytes);
            copyBytes(shared.k[kPlace.stage], k + std::int64_t{n} * C::kKeyBytes, C::kKeyBytes,
                      shared.kFull[kPlace.stage]);
            kPlace.next();
        };
        const auto copyV = [&](int n) {
            open(shared.vFull[vPlace.stage], shared.vEmpty[vPlace.stage], vPlace.parity, C::kValueBytes);
#pragma unroll
            for (int half = 0; half < C::kHalves; ++half)
                copyBox(shared.v[vPlace.stage][half], vMap, shared.vFull[vPlace.stage], 64 * half,
                        n * C::kKeys, keyHead, tile.batch);
            vPlace.next();
        };
        open(shared.qFull, shared.qEmpty, qParity, C::kQueryBytes);
        copyBytes(shared.q, q + std::int64_t{tile.firstQuery} * C::kHeadDim, C::kQueryBytes, shared.qFull);
        qParity ^= 1;
        copyK(tile.keyTiles - 1);
        for (int n = tile.keyTiles - 1; n > 0; --n) {
            copyK(n - 1);
            copyV(n);
        }
        copyV(0);
    }
}

/// A warpgroup that computes.
template <class C>
struct Sagev1Group : Fav3Group<C, Sagev1Shared<C>> {
    using Base = Fav3Group<C, Sagev1Shared<C>>;
    using Element = typename C::Element;
    using Base::group, Base::warp, Base::lane, Base::shared, Base::kPlace, Base::vPlace, Base::qParity;
    using Base::kScores, Base::kOutputs;
    using Base::release;

    const Int8Operands& operands;

    /// Queues sums = Q Kᵀ of the next tile of keys.
    __device__ void queueIntegers(std::int32_t (&sums)[kScores]) {
        using namespace hopper;
        shared.kFull[kPlace.stage].wait(kPlace.parity);
        std::uint64_t q = bytesOperand(shared.q + 64 * group * C::kHeadDim, 128, 8 * C::kHeadDim);
        std::uint64_t k = bytesOperand(shared.k[kPlace.stage], 128, 8 * C::kHeadDim);
        asm volatile("" : "+l"(q), "+l"(k));  // ready before the turn comes
        this->waitTurn();
        fenceProducts();
#pragma unroll
        for (int step = 0; step < C::kHeadDim / 32; ++step)
            ByteProduct<C::kKeys>::rowsByRows(sums, advanced(q, 256 * step), advanced(k, 256 * step),
                                              step > 0);
        commitProducts();
    }

    /// The same sums once more, of this warp's rows alone: as in fav3 no wgmma may lie within the branch.
    __device__ void repeatIntegers(std::int32_t (&sums)[kScores]) const {
        const std::uint32_t inMatrix = lane % 8 * 16;
        const std::uint32_t queries = ampere::sharedAddress(shared.q) +
                                      (64 * group + 16 * warp) * C::kHeadDim +
                                      lane / 8 % 2 * 8 * C::kHeadDim + lane / 16 * 128 + inMatrix;
        const std::uint32_t keys = ampere::sharedAddress(shared.k[kPlace.stage]) +
                                   lane / 16 * 8 * C::kHeadDim + lane / 8 % 2 * 128 + inMatrix;
#pragma unroll
        for (std::int32_t& sum : sums) sum = 0;
#pragma unroll 1
        for (int step = 0; step < C::kHeadDim / 32; ++step) {
            std::uint32_t q[4], k[4];
            ampere::loadMatrices(q, queries + 256 * step);
#pragma unroll
            for (int n = 0; n < C::kKeys / 16; ++n) {
                ampere::loadMatrices(k, keys + 16 * n * C::kHeadDim + 256 * step);
                ampere::multiplyInt8(&sums[8 * n], q, k[0], k[1]);
                ampere::multiplyInt8(&sums[8 * n + 4], q, k[2], k[3]);
            }
        }
        __syncwarp();  // all lanes have read before one says that the tile may be overwritten
    }

    __device__ void attend(const Fav3Tile<C>& tile) {
        using namespace hopper;
        const AttentionShape& shape = this->call.shape;
        float outputs[kOutputs];
#pragma unroll
        for (float& value : outputs) value = 0;
        OnlineSoftmax softmax;
        const int firstRow = tile.firstQuery + 64 * group;
        const int row = firstRow + 16 * warp + lane / 4;
        const int head = tile.batch * shape.queryHeads + tile.head;
        if (tile.keyTiles > 0) {
            // From this tile on some query of the warpgroup doesn't see every key.
            const int edge = shape.seenBy(firstRow) / C::kKeys;
            const ScoreScales scales(operands, head, firstRow, shape.queryHeadsPerKeyHead);
            Int8Scores<kScores> scores;
            std::uint32_t weights[kScores / 2];
            float added[2];

            const auto takeScale = [&](int n) {
                scores.scale = scales.of(n);
                scores.offset = scores.kOffset;
            };
            const auto biasTile = [&](int n) {
                pin(scores.sums);
                if (n >= edge || shape.keyBias != nullptr)
                    scores.biasAndHide(shape, n * C::kKeys, row, lane, n >= edge);
            };
            /// A base that suits these scores, when they ask for one: outputs are to be multiplied by
            /// `factor`.
            const auto rise = [&](float(&factor)[2]) {
                float here[2];
                if (__any_sync(0xffffffffU, scores.isHigh(softmax, here))) softmax.rise(here, factor);
            };
            const auto finishKeys = [&](int n) {
                if (n == 0) release(shared.qEmpty);
                release(shared.kEmpty[kPlace.stage]);
                kPlace.next();
            };
            const auto finishValues = [&] {
                waitProducts<0>();
                pin(outputs);
                pin(weights);
                release(shared.vEmpty[vPlace.stage]);
                vPlace.next();
            };

            shared.qFull.wait(qParity);
            qParity ^= 1;
            takeScale(tile.keyTiles - 1);
            queueIntegers(scores.sums);
            this->passTurn();
            waitProducts<0>();
            biasTile(tile.keyTiles - 1);
            float none[2];  // there are no outputs yet
            rise(none);
            scores.weigh(softmax, added);
            softmax.add(added);
            finishKeys(tile.keyTiles - 1);
            scores.template packWeights<Element>(weights);
            for (int n = tile.keyTiles - 2; n >= 0; --n) {
                takeScale(n);
                queueIntegers(scores.sums);
                this->queueOutputs(outputs, weights);
                waitProducts<1>();
                biasTile(n);
                // By the base so far, as fav3 does it: where it is too low, once more with a higher one.
                scores.weigh(softmax, added);
                float factor[2] = {1, 1};
                const bool anew = __any_sync(0xffffffffU, softmax.isBaseLow(added));
                if (anew) {
                    repeatIntegers(scores.sums);
                    takeScale(n);
                    biasTile(n);
                    rise(factor);
                    scores.weigh(softmax, added);
                }
                softmax.add(added);
                finishKeys(n);
                finishValues();
                if (anew) multiplyRows(outputs, factor);
                scores.template packWeights<Element>(weights);
            }
            this->waitTurn();
            fenceProducts();
            this->queueOutputs(outputs, weights);
            finishValues();
        }
        storeRows<Element, C::kHeadDim>(outputs, softmax, shape, row, lane, tile.head, tile.batch);
        operands.shiftLogSumExp(shape, row, lane, head);
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    sagev1Kernel(const __grid_constant__ CUtensorMap vMap, const __grid_constant__ Sagev1Call call) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using namespace hopper;
    extern __shared__ std::uint8_t raw[];
    auto& shared =
        *reinterpret_cast<Sagev1Shared<C>*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) / 1024 * 1024);
    startShared<C>(shared);
    const int group = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 128, 0) - 1;
    if (group < 0) {
        giveRegisters<C::kCopyRegisters>();
        if (threadIdx.x == 0) copyInt8Tiles<C>(shared, vMap, call);
    } else {
        takeRegisters<C::kComputeRegisters>();
        Sagev1Group<C> worker{{shared, call.tiles, group, static_cast<int>(threadIdx.x) / 32 % 4,
                               static_cast<int>(threadIdx.x) % 32},
                              call.operands};
        if (group == C::kGroups - 1) worker.passTurn();
        for (int index = static_cast<int>(blockIdx.x); index < call.tiles.tiles;
             index += static_cast<int>(gridDim.x))
            worker.attend(Fav3Tile<C>(call.tiles, index));
        if (group == 0) worker.waitTurn();  // takes what the last one passed
    }
#else
    __trap();
#endif
}

}  // namespace reelgrid::kernels::cuda::device
