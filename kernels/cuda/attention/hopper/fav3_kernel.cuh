#pragma once

// FlashAttention-3 for Hopper: a persistent grid of blocks, each one warpgroup that copies and three (two
// where the head dim is above 160) that compute 64 queries each. Keys are walked from the last tile to the
// first. While a warpgroup computes the softmax of one tile the tensor cores multiply its weights of the tile
// before, and what the other two warpgroups have queued. Weights are relative to a base that is not looked
// for again until they grow large. sm_90a.

#include "kernels/cuda/attention/hopper/hopper_memory.cuh"
#include "kernels/cuda/attention/hopper/wgmma.cuh"
#include "kernels/cuda/attention/mma.cuh"
#include "kernels/cuda/attention/score_rows.cuh"

namespace reelgrid::kernels::cuda::device {

enum class Turns { Free, InOrder };

struct Fav3Call {
    AttentionShape shape;
    int queryTiles;  ///< of a head
    int tiles;       ///< of all heads and batches
};

template <class Element_, int kHeadDim_>
struct Fav3Config {
    using Element = Element_;
    static constexpr int kHeadDim = kHeadDim_;
    static constexpr int kGroups = kHeadDim > 160 ? 2 : 3;
    static constexpr int kQueries = 64 * kGroups;
    // A warpgroup's scores, weights and outputs must fit in 160 registers a thread: 64 + 32 + 32 at 64, 40 +
    // 20 + 64 at 128, 32 + 16 + 80 at 160; in 240 above: 40 + 20 + 128 at 256.
    static constexpr int kKeys = kHeadDim <= 64                      ? 128
                                 : kHeadDim == 80 || kHeadDim == 192 ? 112
                                 : kHeadDim == 96                    ? 96
                                 : kHeadDim == 160                   ? 64
                                                                     : 80;
    static constexpr int kStages = kHeadDim >= 128 && kHeadDim <= 160 ? 3 : 2;
    static constexpr Turns kTurns = kHeadDim >= 128 ? Turns::InOrder : Turns::Free;
    static constexpr int kThreads = 128 * (kGroups + 1);
    /// (32 + 3 · 160) · 128 is the whole file; three warpgroups begin with 168 registers a thread each.
    static constexpr int kCopyRegisters = kGroups == 3 ? 32 : 24,
                         kComputeRegisters = kGroups == 3 ? 160 : 240;
    static constexpr int kHalves = (kHeadDim + 63) / 64;  ///< tiles of shared memory have 64 columns
    static constexpr int kQueryBytes = kQueries * kHalves * 128;
    static constexpr int kKeyBytes = kKeys * kHalves * 128;
};

template <class C>
struct Fav3Shared {
    alignas(1024) typename C::Element q[C::kHalves][C::kQueries][64];
    alignas(1024) typename C::Element k[C::kStages][C::kHalves][C::kKeys][64];
    alignas(1024) typename C::Element v[C::kStages][C::kHalves][C::kKeys][64];
    hopper::Barrier qFull, qEmpty;
    hopper::Barrier kFull[C::kStages], kEmpty[C::kStages];
    hopper::Barrier vFull[C::kStages], vEmpty[C::kStages];
};

/// Where a ring stands: its stage, and the parity of its round.
template <int kStages>
struct RingPlace {
    int stage = 0;
    std::uint32_t parity = 0;
    __device__ void next() {
        if (++stage == kStages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/// The queries of one head that a block works on at a time.
template <class C>
struct Fav3Tile {
    int firstQuery, head, batch, keyTiles;

    template <class Call>
    __device__ Fav3Tile(const Call& call, int index) {
        const AttentionShape& shape = call.shape;
        int place = index % call.queryTiles;
        if (shape.mask == Mask::Causal) place = call.queryTiles - 1 - place;  // the longest first
        firstQuery = place * C::kQueries;
        head = index / call.queryTiles % shape.queryHeads;
        batch = index / call.queryTiles / shape.queryHeads;
        const int last = min(firstQuery + C::kQueries, shape.queries) - 1;
        keyTiles = (shape.seenBy(last) + C::kKeys - 1) / C::kKeys;
    }
};

/// One thread asks the copy engine for every tile, in the order of use.
template <class C>
__device__ void copyTiles(Fav3Shared<C>& shared, const CUtensorMap& qMap, const CUtensorMap& kMap,
                          const CUtensorMap& vMap, const Fav3Call& call) {
    using namespace hopper;
    RingPlace<C::kStages> kPlace, vPlace;
    std::uint32_t qParity = 0;
    for (int index = static_cast<int>(blockIdx.x); index < call.tiles; index += static_cast<int>(gridDim.x)) {
        const Fav3Tile<C> tile(call, index);
        if (tile.keyTiles == 0) continue;
        const int keyHead = tile.head / call.shape.queryHeadsPerKeyHead;
        const auto copy = [&](auto& to, const CUtensorMap& map, Barrier& full, Barrier& empty,
                              std::uint32_t parity, int bytes, int row, int head) {
            empty.wait(parity ^ 1);
            full.arriveExpecting(bytes);
#pragma unroll
            for (int half = 0; half < C::kHalves; ++half)
                copyBox(to[half], map, full, 64 * half, row, head, tile.batch);
        };
        const auto copyK = [&](int n) {
            copy(shared.k[kPlace.stage], kMap, shared.kFull[kPlace.stage], shared.kEmpty[kPlace.stage],
                 kPlace.parity, C::kKeyBytes, n * C::kKeys, keyHead);
            kPlace.next();
        };
        const auto copyV = [&](int n) {
            copy(shared.v[vPlace.stage], vMap, shared.vFull[vPlace.stage], shared.vEmpty[vPlace.stage],
                 vPlace.parity, C::kKeyBytes, n * C::kKeys, keyHead);
            vPlace.next();
        };
        copy(shared.q, qMap, shared.qFull, shared.qEmpty, qParity, C::kQueryBytes, tile.firstQuery,
             tile.head);
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
template <class C, class Shared = Fav3Shared<C>>
struct Fav3Group {
    using Element = typename C::Element;
    static constexpr int kScores = C::kKeys / 2;
    static constexpr int kOutputs = C::kHeadDim / 2;

    Shared& shared;
    const Fav3Call& call;
    const int group, warp, lane;
    RingPlace<C::kStages> kPlace{}, vPlace{};
    std::uint32_t qParity = 0;

    // Warpgroups queue their products in turn: each one's scores come as early as they can, and the three are
    // at different phases.
    __device__ void waitTurn() const {
        if constexpr (C::kTurns == Turns::InOrder) hopper::meet(1 + group, 256);
    }
    __device__ void passTurn() const {
        if constexpr (C::kTurns == Turns::InOrder) hopper::announce(1 + (group + 1) % C::kGroups, 256);
    }

    __device__ void release(hopper::Barrier& empty) const {
        if (lane == 0) empty.arrive();
    }

    /// Queues scores = Q Kᵀ of the next tile of keys.
    __device__ void queueScores(float (&scores)[kScores]) {
        using namespace hopper;
        shared.kFull[kPlace.stage].wait(kPlace.parity);
        std::uint64_t q[C::kHalves], k[C::kHalves];
#pragma unroll
        for (int half = 0; half < C::kHalves; ++half) {
            q[half] = rowsOperand(shared.q[half][64 * group]);
            k[half] = rowsOperand(shared.k[kPlace.stage][half]);
            asm volatile("" : "+l"(q[half]), "+l"(k[half]));  // ready before the turn comes
        }
        waitTurn();
        fenceProducts();
#pragma unroll
        for (int half = 0; half < C::kHalves; ++half)
#pragma unroll
            for (int step = 0; step < (C::kHeadDim / 16 - 4 * half < 4 ? C::kHeadDim / 16 - 4 * half : 4);
                 ++step)
                Product<C::kKeys>::rowsByRows(Element{}, scores, advanced(q[half], 32 * step),
                                              advanced(k[half], 32 * step), half + step > 0);
        commitProducts();
    }

    /// The same scores once more, of this warp's rows alone: see attend().
    __device__ void repeatScores(float (&scores)[kScores]) const {
        const auto placeOf = [](const auto& tile, int row, int column) {  // as the 128-byte swizzle has it
            return ampere::sharedAddress(tile) + row * 128 + ((column ^ (row & 7)) << 4);
        };
#pragma unroll
        for (float& score : scores) score = 0;
#pragma unroll 1
        for (int step = 0; step < C::kHeadDim / 16; ++step) {
            const int half = step / 4, column = step % 4 * 2;
            std::uint32_t q[4], k[4];
            ampere::loadMatrices(
                q, placeOf(shared.q[half], 64 * group + 16 * warp + lane % 16, column + lane / 16));
#pragma unroll
            for (int n = 0; n < C::kKeys / 16; ++n) {
                ampere::loadMatrices(k, placeOf(shared.k[kPlace.stage][half],
                                                16 * n + lane / 16 * 8 + lane % 8, column + lane / 8 % 2));
                ampere::multiply<Element>(&scores[8 * n], q, k[0], k[1]);
                ampere::multiply<Element>(&scores[8 * n + 4], q, k[2], k[3]);
            }
        }
        __syncwarp();  // all lanes have read before one says that the tile may be overwritten
    }

    /// Queues outputs += P V of the next tile of values, and passes the turn.
    __device__ void queueOutputs(float (&outputs)[kOutputs], const std::uint32_t (&weights)[kScores / 2]) {
        using namespace hopper;
        shared.vFull[vPlace.stage].wait(vPlace.parity);
        const auto& tile = shared.v[vPlace.stage];
        const std::uint64_t v = columnsOperand(tile, sizeof(tile[0]));
#pragma unroll
        for (int step = 0; step < C::kKeys / 16; ++step)
            Product<C::kHeadDim>::registersByColumns(Element{}, outputs, weights + 4 * step,
                                                     advanced(v, 16 * 128 * step));
        commitProducts();
        passTurn();
    }

    __device__ void attend(const Fav3Tile<C>& tile) {
        using namespace hopper;
        float outputs[kOutputs];
#pragma unroll
        for (float& value : outputs) value = 0;
        OnlineSoftmax softmax;
        const int firstRow = tile.firstQuery + 64 * group;
        const int row = firstRow + 16 * warp + lane / 4;
        if (tile.keyTiles > 0) {
            const float scale = call.shape.remainingScale();
            // From this tile on some query of the warpgroup doesn't see every key.
            const int edge = call.shape.seenBy(firstRow) / C::kKeys;
            float scores[kScores];
            std::uint32_t weights[kScores / 2];
            float added[2];

            const auto biasTile = [&](int n) {
                pin(scores);
                if (n >= edge || call.shape.keyBias != nullptr)
                    biasAndHide(scores, call.shape, n * C::kKeys, row, lane, n >= edge);
            };
            /// A base that suits these scores, when they ask for one: outputs are to be multiplied by
            /// `factor`.
            const auto rise = [&](float(&factor)[2]) {
                float here[2];
                if (__any_sync(0xffffffffU, softmax.isHigh(scores, scale, here))) softmax.rise(here, factor);
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
            const auto takeWeights = [&] {
#pragma unroll
                for (int i = 0; i < kScores / 2; ++i)
                    weights[i] = packedPair<Element>(scores[2 * i], scores[2 * i + 1]);
            };

            shared.qFull.wait(qParity);
            qParity ^= 1;
            queueScores(scores);
            passTurn();
            waitProducts<0>();
            biasTile(tile.keyTiles - 1);
            float none[2];  // there are no outputs yet
            rise(none);
            softmax.template weigh<0, kScores>(scores, scale, added);
            softmax.add(added);
            finishKeys(tile.keyTiles - 1);
            takeWeights();
            for (int n = tile.keyTiles - 2; n >= 0; --n) {
                queueScores(scores);
                queueOutputs(outputs, weights);
                waitProducts<1>();
                biasTile(n);
                // Weighed by the base so far, which nearly always does: the maximum isn't looked for. Where
                // it doesn't, once more with a higher one. A warp decides that for itself, and the four of a
                // warpgroup must come to each wgmma instruction together, waits included: so there is none
                // within the branch, and outputs follow the base when all have waited.
                softmax.template weigh<0, kScores>(scores, scale, added);
                float factor[2] = {1, 1};
                const bool anew = __any_sync(0xffffffffU, softmax.isBaseLow(added));
                if (anew) {
                    repeatScores(scores);
                    biasTile(n);
                    rise(factor);
                    softmax.template weigh<0, kScores>(scores, scale, added);
                }
                softmax.add(added);
                finishKeys(n);
                finishValues();
                if (anew) multiplyRows(outputs, factor);
                takeWeights();
            }
            waitTurn();
            fenceProducts();
            queueOutputs(outputs, weights);
            finishValues();
        }
        storeRows<Element, C::kHeadDim>(outputs, softmax, call.shape, row, lane, tile.head, tile.batch);
    }
};

template <class C, class Shared>
__device__ void startShared(Shared& shared) {
    if (threadIdx.x == 0) {
        shared.qFull.start(1);
        shared.qEmpty.start(4 * C::kGroups);  // a warp's first lane
        for (int stage = 0; stage < C::kStages; ++stage) {
            shared.kFull[stage].start(1);
            shared.vFull[stage].start(1);
            shared.kEmpty[stage].start(4 * C::kGroups);
            shared.vEmpty[stage].start(4 * C::kGroups);
        }
        hopper::publishBarriers();
    }
    __syncthreads();
}

template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    fav3Kernel(const __grid_constant__ CUtensorMap qMap, const __grid_constant__ CUtensorMap kMap,
               const __grid_constant__ CUtensorMap vMap, const __grid_constant__ Fav3Call call) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using namespace hopper;
    extern __shared__ std::uint8_t raw[];
    auto& shared =
        *reinterpret_cast<Fav3Shared<C>*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) / 1024 * 1024);
    startShared<C>(shared);
    // From lane 0, so that the compiler knows it to be the warp's.
    const int group = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 128, 0) - 1;
    if (group < 0) {
        giveRegisters<C::kCopyRegisters>();
        if (threadIdx.x == 0) copyTiles<C>(shared, qMap, kMap, vMap, call);
    } else {
        takeRegisters<C::kComputeRegisters>();
        Fav3Group<C> worker{shared, call, group, static_cast<int>(threadIdx.x) / 32 % 4,
                            static_cast<int>(threadIdx.x) % 32};
        if (group == C::kGroups - 1) worker.passTurn();
        for (int index = static_cast<int>(blockIdx.x); index < call.tiles;
             index += static_cast<int>(gridDim.x))
            worker.attend(Fav3Tile<C>(call, index));
        if (group == 0) worker.waitTurn();  // takes what the last one passed
    }
#else
    __trap();
#endif
}

}  // namespace reelgrid::kernels::cuda::device
