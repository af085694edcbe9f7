#pragma once

// fav3 over bytes, for Hopper: scores of int8 or e4m3, weights and values of e4m3. As in fav3_kernel.cuh a
// warpgroup copies and three compute 64 queries each, keys from the last tile to the first, the next scores
// and the product with the values during a softmax. Operands come quantised and laid out from the workspace,
// in whole tiles. The products' accumulators lose bits over many tiles: now and then they are added to sums
// in shared memory. sm_90a.

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/attention/hopper/fav3_kernel.cuh"
#include "kernels/cuda/attention/hopper/quantised_softmax.cuh"
#include "kernels/cuda/attention/hopper/wgmma_bytes.cuh"
#include "kernels/cuda/attention/quantise/quantised_operands.cuh"

namespace reelgrid::kernels::cuda::device {

struct Fav3QuantisedCall {
    AttentionShape shape;  ///< its scale is 1: it lies in the factors
    QuantisedOperands operands;
    float scoreFactor;  ///< what a score is multiplied by beside the scales of its row and column
    int scaleQueries;   ///< rows that share an entry of qScales: a multiple of 64; with classes those of one
    DataType outType;
    /// 0, which the compiler can't know: weights are copied by an exclusive or. A plain copy it leaves out,
    /// weights and the next ones in the same registers, and then serialises the products.
    std::uint32_t zero;
    int queryTiles;  ///< of a head
    int tiles;       ///< of all heads and batches
};

/// fav3_sage, sagev2 or fav3_fp8.
template <Method kMethod, int kHeadDim_>
struct Fav3QuantisedConfig {
    using Score = std::conditional_t<kMethod == Method::Flash3Fp8, float, std::int32_t>;
    static constexpr MethodTraits kTraits = traitsOf(kMethod, kHeadDim_);
    static_assert(kTraits.scaleClasses.keys == 1 || kTraits.scaleClasses.keys == 4,
                  "a thread's columns of eight: all of one class");
    static_assert(kTraits.scaleClasses.queries == 1 || kTraits.scaleClasses.queries == kClassRows,
                  "a thread's rows, eight apart: of one class");
    static constexpr int kHeadDim = kHeadDim_;
    static constexpr int kGroups = 3;
    static constexpr int kQueries = 64 * kGroups;
    // Scores, weights and outputs in 160 registers a thread: 48 + 12 + 64 and 64 + 16 + 32.
    static constexpr int kKeys = kHeadDim == 128 ? 96 : 128;
    static constexpr int kStages = 4;
    static constexpr float kWeightOffset = weightOffsetOf(kMethod);
    /// Tiles that the accumulators take up: 768 and 512 keys. 512 at d128 costs 4 %.
    static constexpr int kFoldTiles = kHeadDim == 128 ? 8 : 4;
    static constexpr int kThreads = 128 * (kGroups + 1);
    static constexpr int kCopyRegisters = 32, kComputeRegisters = 160;
    static constexpr int kQueryBytes = kQueries * kHeadDim;
    static constexpr int kKeyBytes = kKeys * kHeadDim;
    static constexpr int kValueAlignment = 16;
};

template <class C>
struct Fav3QuantisedShared {
    alignas(16) std::uint8_t q[C::kQueryBytes];
    alignas(16) std::uint8_t k[C::kStages][C::kKeyBytes];
    alignas(C::kValueAlignment) std::uint8_t v[C::kStages][C::kKeyBytes];
    float4 sums[C::kHeadDim / 8][128 * C::kGroups];  ///< of the products, a thread's own
    hopper::Barrier qFull, qEmpty;
    hopper::Barrier kFull[C::kStages], kEmpty[C::kStages];
    hopper::Barrier vFull[C::kStages], vEmpty[C::kStages];
};

/// One thread asks the copy engine for every tile, in the order of use.
template <class C>
__device__ void copyQuantisedTiles(Fav3QuantisedShared<C>& shared, const Fav3QuantisedCall& call) {
    using namespace hopper;
    const QuantisedOperands& x = call.operands;
    RingPlace<C::kStages> kPlace, vPlace;
    std::uint32_t qParity = 0;
    for (int index = static_cast<int>(blockIdx.x); index < call.tiles; index += static_cast<int>(gridDim.x)) {
        const Fav3Tile<C> tile(call, index);
        if (tile.keyTiles == 0) continue;
        const std::int64_t queryHead = std::int64_t{tile.batch} * call.shape.queryHeads + tile.head;
        const std::int64_t keyHead = queryHead / call.shape.queryHeadsPerKeyHead;
        const std::uint8_t* q = x.q + (queryHead * x.queryRows + tile.firstQuery) * C::kHeadDim;
        const std::uint8_t* k = x.k + keyHead * x.keyRows * C::kHeadDim;
        const std::uint8_t* v = x.v + keyHead * x.keyRows * C::kHeadDim;
        const auto copy = [&](void* to, const std::uint8_t* from, std::uint32_t bytes, Barrier& full,
                              Barrier& empty, std::uint32_t parity) {
            empty.wait(parity ^ 1);
            full.arriveExpecting(bytes);
            copyBytes(to, from, bytes, full);
        };
        const auto copyK = [&](int n) {
            copy(shared.k[kPlace.stage], k + std::int64_t{n} * C::kKeyBytes, C::kKeyBytes,
                 shared.kFull[kPlace.stage], shared.kEmpty[kPlace.stage], kPlace.parity);
            kPlace.next();
        };
        const auto copyV = [&](int n) {
            copy(shared.v[vPlace.stage], v + std::int64_t{n} * C::kKeyBytes, C::kKeyBytes,
                 shared.vFull[vPlace.stage], shared.vEmpty[vPlace.stage], vPlace.parity);
            vPlace.next();
        };
        copy(shared.q, q, C::kQueryBytes, shared.qFull, shared.qEmpty, qParity);
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
struct Fav3QuantisedGroup {
    using Score = typename C::Score;
    static constexpr int kScores = C::kKeys / 2;
    static constexpr int kOutputs = C::kHeadDim / 2;
    static constexpr int kFactors = C::kKeys / kFactorColumns;

    using Softmax = QuantisedSoftmax<C, kScores>;

    Fav3QuantisedShared<C>& shared;
    const int group, warp, lane;
    RingPlace<C::kStages> kPlace{}, vPlace{};
    std::uint32_t qParity = 0;

    __device__ void release(hopper::Barrier& empty) const {
        if (lane == 0) empty.arrive();
    }

    /// Queues scores = Q Kᵀ of the next tile of keys.
    __device__ void queueScores(Score (&scores)[kScores]) {
        using namespace hopper;
        constexpr std::uint32_t kNextRows = 8 * C::kHeadDim;
        shared.kFull[kPlace.stage].wait(kPlace.parity);
        const std::uint64_t q = bytesOperand(shared.q + 64 * group * C::kHeadDim, 128, kNextRows);
        const std::uint64_t k = bytesOperand(shared.k[kPlace.stage], 128, kNextRows);
        fenceProducts();
#pragma unroll
        for (int step = 0; step < C::kHeadDim / 32; ++step)
            ByteProduct<C::kKeys>::rowsByRows(scores, advanced(q, 256 * step), advanced(k, 256 * step),
                                              step > 0);
        commitProducts();
    }

    /// Queues outputs = P V of the next tile of values, added to what they are or not.
    __device__ void queueOutputs(float (&outputs)[kOutputs], const std::uint32_t (&weights)[kScores / 4],
                                 int add) {
        using namespace hopper;
        shared.vFull[vPlace.stage].wait(vPlace.parity);
        const std::uint64_t v = bytesOperand(shared.v[vPlace.stage], 16 * C::kHeadDim, 128);
#pragma unroll
        for (int step = 0; step < C::kKeys / 32; ++step)
            ByteProduct<C::kHeadDim>::registersByRows(
                outputs, weights + 4 * step, advanced(v, 32 * C::kHeadDim * step), step > 0 ? 1 : add);
        commitProducts();
    }

    /// This thread's sums in shared memory.
    template <class Change>
    __device__ void changeSums(Change change) const {
        const std::uint32_t place = hopper::sharedAddress(&shared.sums[0][128 * group + 32 * warp + lane]);
        constexpr std::uint32_t kNext = sizeof(shared.sums[0]);
#pragma unroll
        for (int four = 0; four < kOutputs / 4; ++four) {
            float4 sums = hopper::loadFour(place + four * kNext);
            change(sums, four);
            hopper::storeFour(place + four * kNext, sums);
        }
    }

    /// Outputs, not yet divided by the weights' sum, and the softmax of all tiles of keys, the last first. A
    /// walk says which keys those are, how their scores are scaled and where some are to be hidden.
    template <class Walk>
    __device__ void multiplyAll(float (&outputs)[kOutputs], Softmax& softmax, const Walk& walk) {
        using namespace hopper;
        Score products[kScores];
        std::uint32_t weights[kScores / 4];
        float factors[kFactors];
        int add = 0;  // whether outputs hold anything
        int untilFold = C::kFoldTiles;
        bool hasSums = false;
        /// Products of tile n as weights, with the largest looked for: where the base rises, what was summed
        /// so far is to be multiplied by `factor`, which stays as it is where it doesn't.
        const auto weighAnew = [&](int n, std::uint32_t(&next)[kScores / 4], float(&added)[2],
                                   float(&factor)[2]) {
            float scores[kScores];
#pragma unroll
            for (int i = 0; i < kScores; ++i) scores[i] = static_cast<float>(products[i]) * factors[i / 16];
            if (n >= walk.edge) biasAndHide(scores, walk.shape, walk.firstKeyOf(n), walk.row, lane, true);
            float here[2];
            if (__any_sync(0xffffffffU, softmax.isHigh(scores, here))) softmax.rise(here, factor);
#pragma unroll
            for (float& each : factors) each = 1;
            softmax.weigh(scores, factors, next, added);
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
            add = 1;
        };
        const auto followBase = [&](const float(&factor)[2]) {
            multiplyRows(outputs, factor);
            if (hasSums)
                changeSums([&](float4& sums, int) {
                    sums.x *= factor[0];
                    sums.y *= factor[0];
                    sums.z *= factor[1];
                    sums.w *= factor[1];
                });
        };
        const auto fold = [&] {
            if (--untilFold > 0) return;
            untilFold = C::kFoldTiles;
            add = 0;
            changeSums([&](float4& sums, int four) {
                const float* x = outputs + 4 * four;
                sums = hasSums ? float4{sums.x + x[0], sums.y + x[1], sums.z + x[2], sums.w + x[3]}
                               : float4{x[0], x[1], x[2], x[3]};
            });
            hasSums = true;
        };

        shared.qFull.wait(qParity);
        qParity ^= 1;
        walk.loadFactors(walk.keyTiles - 1, factors);
        queueScores(products);
        waitProducts<0>();
        pin(products);
#pragma unroll
        for (float& factor : factors) factor *= walk.queryFactor;
        float added[2], none[2];  // there are no outputs yet
        weighAnew(walk.keyTiles - 1, weights, added, none);
        softmax.add(added);
        finishKeys(walk.keyTiles - 1);
        for (int n = walk.keyTiles - 2; n >= 0; --n) {
            walk.loadFactors(n, factors);
            queueScores(products);
            queueOutputs(outputs, weights, add);
            waitProducts<1>();
            pin(products);
#pragma unroll
            for (float& factor : factors) factor *= walk.queryFactor;
            std::uint32_t next[kScores / 4];
            // Weighed by the base so far, which nearly always does: the maximum isn't looked for. Where it
            // doesn't, once more with a higher one. A warp decides that for itself: as in fav3 the four come
            // to each wgmma instruction together, so none lies within the branch.
            float factor[2] = {1, 1};
            bool anew = n >= walk.edge;
            if (!anew) anew = __any_sync(0xffffffffU, softmax.weigh(products, factors, next, added));
            if (anew) weighAnew(n, next, added, factor);
            softmax.add(added);
            finishKeys(n);
            finishValues();
            if (anew) followBase(factor);
            fold();
#pragma unroll
            for (int i = 0; i < kScores / 4; ++i) weights[i] = next[i] ^ walk.zero;
        }
        fenceProducts();
        queueOutputs(outputs, weights, add);
        finishValues();
        fold();
        if (hasSums)
            changeSums([&](const float4& sums, int four) {
                float* x = outputs + 4 * four;
                x[0] = (add != 0 ? x[0] : 0.0F) + sums.x;
                x[1] = (add != 0 ? x[1] : 0.0F) + sums.y;
                x[2] = (add != 0 ? x[2] : 0.0F) + sums.z;
                x[3] = (add != 0 ? x[3] : 0.0F) + sums.w;
            });
            // A head's scales of V.
#pragma unroll
        for (int j = 0; j < C::kHeadDim / 8; ++j) {
            const float2 scale =
                __ldg(reinterpret_cast<const float2*>(walk.valueScales + 8 * j + lane % 4 * 2));
            outputs[4 * j] *= scale.x;
            outputs[4 * j + 1] *= scale.y;
            outputs[4 * j + 2] *= scale.x;
            outputs[4 * j + 3] *= scale.y;
        }
    }
};

/// All keys that a warpgroup's queries see.
template <class C>
struct DenseWalk {
    static constexpr int kFactors = C::kKeys / kFactorColumns;

    const AttentionShape& shape;
    int keyTiles, row;
    int edge;  ///< from this tile on some query doesn't see every key, or a bias is to be added
    float queryFactor;
    const float *keyScales, *valueScales;  ///< of the head
    std::uint32_t zero;

    __device__ static int firstKeyOf(int n) { return n * C::kKeys; }
    __device__ void loadFactors(int n, float (&factors)[kFactors]) const {
        constexpr int kClasses = C::kTraits.scaleClasses.keys;
        int each = 0;
        if constexpr (kClasses > 1) {
            // Asked for each time: a thread's own address takes no registers from one tile to the next.
            asm volatile("mov.u32 %0, %%tid.x;" : "=r"(each));
            each %= kClasses;
        }
#pragma unroll
        for (int i = 0; i < kFactors; ++i)
            factors[i] = __ldg(keyScales + (n * kFactors + i) * kClasses + each);
    }
};

template <class C>
__device__ void attendDensely(Fav3QuantisedGroup<C>& worker, const Fav3QuantisedCall& call,
                              const Fav3Tile<C>& tile) {
    using Group = Fav3QuantisedGroup<C>;
    float outputs[Group::kOutputs];
#pragma unroll
    for (float& value : outputs) value = 0;
    typename Group::Softmax softmax;
    const int firstRow = tile.firstQuery + 64 * worker.group;
    const int row = firstRow + 16 * worker.warp + worker.lane / 4;
    const std::int64_t queryHead = std::int64_t{tile.batch} * call.shape.queryHeads + tile.head;
    const std::int64_t keyHead = queryHead / call.shape.queryHeadsPerKeyHead;
    if (tile.keyTiles > 0) {
        const QuantisedOperands& x = call.operands;
        constexpr int kKeyClasses = C::kTraits.scaleClasses.keys, kRows = C::kTraits.scaleBlocks.queries;
        const int queryScales = (x.queryRows + call.scaleQueries - 1) / call.scaleQueries;
        const int queryScale =
            kKeyClasses > 1 ? row / kRows * kClassRows + row % kClassRows : firstRow / call.scaleQueries;
        worker.multiplyAll(
            outputs, softmax,
            DenseWalk<C>{
                .shape = call.shape,
                .keyTiles = tile.keyTiles,
                .row = row,
                .edge = call.shape.keyBias != nullptr ? 0 : call.shape.seenBy(firstRow) / C::kKeys,
                .queryFactor = __ldg(x.qScales + queryHead * queryScales + queryScale) * call.scoreFactor,
                .keyScales = x.kScales + keyHead * (x.keyRows / kFactorColumns * kKeyClasses),
                .valueScales = x.vScales + keyHead * C::kHeadDim,
                .zero = call.zero});
        if (x.lseShifts != nullptr)
#pragma unroll
            for (int r = 0; r < 2; ++r)
                if (row + 8 * r < call.shape.queries)
                    softmax.shift[r] = __ldg(x.lseShifts + queryHead * call.shape.queries + row + 8 * r);
    }
    if (call.outType == DataType::Float16)
        storeRows<__half, C::kHeadDim>(outputs, softmax, call.shape, row, worker.lane, tile.head, tile.batch);
    else
        storeRows<__nv_bfloat16, C::kHeadDim>(outputs, softmax, call.shape, row, worker.lane, tile.head,
                                              tile.batch);
}

template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    fav3QuantisedKernel(const __grid_constant__ Fav3QuantisedCall call) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using namespace hopper;
    extern __shared__ uint4 room[];
    auto& shared = *reinterpret_cast<Fav3QuantisedShared<C>*>(room);
    startShared<C>(shared);
    // From lane 0, so that the compiler knows it to be the warp's.
    const int group = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 128, 0) - 1;
    if (group < 0) {
        giveRegisters<C::kCopyRegisters>();
        if (threadIdx.x == 0) copyQuantisedTiles<C>(shared, call);
    } else {
        takeRegisters<C::kComputeRegisters>();
        Fav3QuantisedGroup<C> worker{shared, group, static_cast<int>(threadIdx.x) / 32 % 4,
                                     static_cast<int>(threadIdx.x) % 32};
        for (int index = static_cast<int>(blockIdx.x); index < call.tiles;
             index += static_cast<int>(gridDim.x))
            attendDensely(worker, call, Fav3Tile<C>(call, index));
    }
#else
    __trap();
#endif
}

}  // namespace reelgrid::kernels::cuda::device
