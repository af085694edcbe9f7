#pragma once

// Attention to some of the blocks of keys for Hopper on fav3's parts, for every sparse method: a tile is one
// block of queries, two warpgroups of 64; its tiles of keys are the blocks that a map keeps (pairs of them at
// d128), walked from the last to the first. The matrices of sla's linear branch follow as two more tiles of
// values. sm_90a.

#include "kernels/cuda/attention/hopper/fav3_kernel.cuh"
#include "kernels/cuda/attention/hopper/sla_branch.cuh"

namespace reelgrid::kernels::cuda::device {

struct SlaCall {
    Fav3Call tiles;
    int keyBlocks;
    KeptBlocks kept;           ///< of each tile
    PlacesInOrder places;      ///< of queries in the output
    const float* featureSums;  ///< [batch][key heads][D]: Σ φ(k)
    const float* bias;         ///< of the projection, or null
};

template <class Element_, int kHeadDim_, Branch kBranch_>
struct SlaConfig {
    using Element = Element_;
    static constexpr int kHeadDim = kHeadDim_;
    static constexpr Branch kBranch = kBranch_;
    static constexpr int kGroups = 2;
    static constexpr int kQueries = 64 * kGroups;
    static constexpr int kBlocks = kHeadDim == 128 ? 2 : 1;  ///< of keys in a tile
    static constexpr int kKeys = kBlocks * kSparseKeys;
    static constexpr int kStages = kHeadDim == 128 ? 3 : 4;
    static constexpr Turns kTurns = Turns::Free;
    /// Tiles that a block of threads works on side by side: at d64 two pairs of warpgroups hide more.
    static constexpr int kStreams = kHeadDim == 128 ? 1 : 2;
    static constexpr int kThreads = 128 * (kStreams * kGroups + 1);
    static constexpr int kCopyRegisters = kStreams == 1 ? 40 : 32,
                         kComputeRegisters = kStreams == 1 ? 232 : 112;
    // More than the block was started with, 168 or 96 a thread, would be waited for without end.
    static_assert(kCopyRegisters + kStreams * kGroups * kComputeRegisters <=
                  (kStreams == 1 ? 168 : 96) * (kStreams * kGroups + 1));
    static_assert(kStreams == 1 || kTurns == Turns::Free);
    static constexpr int kHalves = kHeadDim / 64;
    static constexpr int kQueryBytes = kQueries * kHeadDim * 2;
    static constexpr int kKeyBytes = kKeys * kHeadDim * 2;
    /// Tiles of values that hold the branch's two matrices of D rows.
    static constexpr int kMatrixTiles = kBranch == Branch::Linear ? 2 * kHeadDim / kKeys : 0;
    static_assert(kQueries == kSparseQueries && 2 * kHeadDim % kKeys == 0);
};

/// One block of queries and what it attends to.
template <class C>
struct SlaTile {
    int firstQuery, head, batch, count, keyTiles;
    const std::int32_t* chosen;  ///< `count` blocks of keys

    __device__ SlaTile(const SlaCall& call, int index)
        : firstQuery(index % call.tiles.queryTiles * C::kQueries),
          head(index / call.tiles.queryTiles % call.tiles.shape.queryHeads),
          batch(index / call.tiles.queryTiles / call.tiles.shape.queryHeads),
          count(call.kept.countOf(index)),
          keyTiles((count + C::kBlocks - 1) / C::kBlocks),
          chosen(call.kept.blocksOf(index)) {}

    __device__ int keyHead(const SlaCall& call) const { return head / call.tiles.shape.queryHeadsPerKeyHead; }
};

/// A warp asks the copy engine for every tile, in the order of use; its lanes hold the next 32 blocks.
template <class C>
__device__ void copyChosen(Fav3Shared<C>& shared, const CUtensorMap& qMap, const CUtensorMap& kMap,
                           const CUtensorMap& vMap, const CUtensorMap& matrixMap, const SlaCall& call,
                           int first, int stride) {
    using namespace hopper;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    RingPlace<C::kStages> kPlace, vPlace;
    std::uint32_t qParity = 0;
    const auto open = [&](Barrier& full, Barrier& empty, std::uint32_t parity, int bytes) {
        empty.wait(parity ^ 1);
        full.arriveExpecting(bytes);
    };
    for (int index = first; index < call.tiles.tiles; index += stride) {
        const SlaTile<C> tile(call, index);
        const int keyHead = tile.keyHead(call);
        int held = 0;
        const auto look = [&](int n, int(&blocks)[C::kBlocks]) {
            constexpr int kTiles = 32 / C::kBlocks;
            if (n == tile.keyTiles - 1 || n % kTiles == kTiles - 1) {
                const int place = n / kTiles * 32 + lane;
                // Past the last block there is nothing, which reads as zeros.
                held = place < tile.count ? __ldg(tile.chosen + place) : call.keyBlocks;
            }
#pragma unroll
            for (int i = 0; i < C::kBlocks; ++i)
                blocks[i] = __shfl_sync(0xffffffffU, held, n % kTiles * C::kBlocks + i);
        };
        const auto copyBlocks = [&](auto& ring, const CUtensorMap& map, Barrier* full, Barrier* empty,
                                    RingPlace<C::kStages>& place, const int(&blocks)[C::kBlocks]) {
            if (lane == 0) {
                open(full[place.stage], empty[place.stage], place.parity, C::kKeyBytes);
#pragma unroll
                for (int half = 0; half < C::kHalves; ++half)
#pragma unroll
                    for (int i = 0; i < C::kBlocks; ++i)
                        copyBox(ring[place.stage][half][i * kSparseKeys], map, full[place.stage], 64 * half,
                                blocks[i] * kSparseKeys, keyHead, tile.batch);
            }
            place.next();
        };
        const auto copyK = [&](const int(&blocks)[C::kBlocks]) {
            copyBlocks(shared.k, kMap, shared.kFull, shared.kEmpty, kPlace, blocks);
        };
        const auto copyV = [&](const int(&blocks)[C::kBlocks]) {
            copyBlocks(shared.v, vMap, shared.vFull, shared.vEmpty, vPlace, blocks);
        };
        if (lane == 0) {
            open(shared.qFull, shared.qEmpty, qParity, C::kQueryBytes);
#pragma unroll
            for (int half = 0; half < C::kHalves; ++half)
                copyBox(shared.q[half], qMap, shared.qFull, 64 * half, tile.firstQuery, tile.head,
                        tile.batch);
        }
        qParity ^= 1;
        int keys[C::kBlocks], values[C::kBlocks];
        look(tile.keyTiles - 1, keys);
        copyK(keys);
        for (int n = tile.keyTiles - 1; n > 0; --n) {
#pragma unroll
            for (int i = 0; i < C::kBlocks; ++i) values[i] = keys[i];
            look(n - 1, keys);
            copyK(keys);
            copyV(values);
        }
        copyV(keys);
#pragma unroll
        for (int i = 0; i < C::kMatrixTiles; ++i) {
            if (lane == 0) {
                open(shared.vFull[vPlace.stage], shared.vEmpty[vPlace.stage], vPlace.parity, C::kKeyBytes);
#pragma unroll
                for (int half = 0; half < C::kHalves; ++half)
                    copyBox(shared.v[vPlace.stage][half], matrixMap, shared.vFull[vPlace.stage], 64 * half,
                            i * C::kKeys, keyHead, tile.batch);
            }
            vPlace.next();
        }
    }
}

/// A warpgroup that computes.
template <class C>
struct SlaGroup : Fav3Group<C> {
    using Base = Fav3Group<C>;
    using Element = typename C::Element;
    using Base::group, Base::warp, Base::lane, Base::shared, Base::kPlace, Base::vPlace, Base::qParity;
    using Base::kScores, Base::kOutputs;
    using Base::release;

    const SlaCall& call;

    /// Hides what of a tile's last pair of blocks isn't there: only the last block chosen can be the last of
    /// the keys.
    __device__ void hide(float (&scores)[kScores], const SlaTile<C>& tile) const {
        const int last = __ldg(tile.chosen + tile.count - 1);
        const int there = (tile.count - 1) % C::kBlocks * kSparseKeys +
                          min(kSparseKeys, call.tiles.shape.keys - last * kSparseKeys);
        hopper::pin(scores);
        if (there == C::kKeys) return;
#pragma unroll
        for (int i = 0; i < kScores; ++i)
            if (i / 4 * 8 + lane % 4 * 2 + i % 2 >= there) scores[i] = kMinusInfinity;
    }

    /// φ of this thread's queries, divided by 1e-5 + φ(q) · Σ φ(k), as the branch's left operand.
    __device__ void takeFeatures(std::uint32_t (&features)[kOutputs / 2], const float* sums) const {
        float x[kOutputs];
#pragma unroll
        for (int j = 0; j < C::kHeadDim / 8; ++j)
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                const int row = 64 * group + 16 * warp + lane / 4 + 8 * r;
                const auto* pairs = reinterpret_cast<const std::uint32_t*>(shared.q[j / 8][row]);
                const float2 pair = unpack<Element>(pairs[((j % 8) ^ (row & 7)) * 4 + lane % 4]);
                const bool inside = 8 * j < call.tiles.shape.headDim;
                x[4 * j + 2 * r] = inside ? pair.x : kMinusInfinity;
                x[4 * j + 2 * r + 1] = inside ? pair.y : kMinusInfinity;
            }
        __syncwarp();  // all lanes have read before one says that the queries may be overwritten
        featuresOf<C::kHeadDim>(x, sums, lane, features);
    }

    /// Queues sums += left · the D rows of a matrix.
    __device__ void queueMatrix(float (&sums)[kOutputs], const std::uint32_t (&left)[kOutputs / 2],
                                int firstRow) const {
        using namespace hopper;
        const auto& tile = shared.v[vPlace.stage];
        const std::uint64_t matrix = advanced(columnsOperand(tile, sizeof(tile[0])), 128 * firstRow);
        fenceProducts();
#pragma unroll
        for (int step = 0; step < C::kHeadDim / 16; ++step)
            Product<C::kHeadDim>::registersByColumns(__nv_bfloat16{}, sums, left + 4 * step,
                                                     advanced(matrix, 16 * 128 * step));
        commitProducts();
    }

    /// Outputs, normalised by now, += the linear branch through the projection.
    __device__ void addLinear(float (&outputs)[kOutputs], std::uint32_t (&features)[kOutputs / 2]) {
        using namespace hopper;
        float linear[kOutputs];
#pragma unroll
        for (float& value : linear) value = 0;
        shared.vFull[vPlace.stage].wait(vPlace.parity);
        pin(linear);
        queueMatrix(linear, features, 0);
        waitProducts<0>();
        pin(linear);
        pin(features);
#pragma unroll
        for (int i = 0; i < kOutputs / 2; ++i)
            features[i] = packedPair<__nv_bfloat16>(linear[2 * i], linear[2 * i + 1]);
        if constexpr (C::kMatrixTiles == 2) {
            release(shared.vEmpty[vPlace.stage]);
            vPlace.next();
            shared.vFull[vPlace.stage].wait(vPlace.parity);
        }
        pin(features);
        pin(outputs);
        queueMatrix(outputs, features, C::kMatrixTiles == 2 ? 0 : C::kHeadDim);
        waitProducts<0>();
        pin(outputs);
        pin(features);
        release(shared.vEmpty[vPlace.stage]);
        vPlace.next();
    }

    __device__ void attend(const SlaTile<C>& tile) {
        using namespace hopper;
        const AttentionShape& shape = call.tiles.shape;
        float outputs[kOutputs];
#pragma unroll
        for (float& value : outputs) value = 0;
        OnlineSoftmax softmax;
        float scores[kScores];
        std::uint32_t weights[kScores / 2];
        float added[2];

        /// A base that suits these scores, when they ask for one: outputs are to be multiplied by `factor`.
        const auto rise = [&](float(&factor)[2]) {
            float here[2];
            if (__any_sync(0xffffffffU, softmax.isHigh(scores, shape.scale, here)))
                softmax.rise(here, factor);
        };
        const auto finishKeys = [&](int n) {
            if (C::kBranch == Branch::None && n == 0) release(shared.qEmpty);
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
        this->queueScores(scores);
        this->passTurn();
        waitProducts<0>();
        hide(scores, tile);
        float none[2];  // there are no outputs yet
        rise(none);
        softmax.template weigh<0, kScores>(scores, shape.scale, added);
        softmax.add(added);
        finishKeys(tile.keyTiles - 1);
        takeWeights();
        for (int n = tile.keyTiles - 2; n >= 0; --n) {
            this->queueScores(scores);
            this->queueOutputs(outputs, weights);
            waitProducts<1>();
            pin(scores);
            // Weighed by the base so far, as fav3 does it: where it is too low, once more with a higher one.
            softmax.template weigh<0, kScores>(scores, shape.scale, added);
            float factor[2] = {1, 1};
            const bool anew = __any_sync(0xffffffffU, softmax.isBaseLow(added));
            if (anew) {
                this->repeatScores(scores);
                rise(factor);
                softmax.template weigh<0, kScores>(scores, shape.scale, added);
            }
            softmax.add(added);
            finishKeys(n);
            finishValues();
            if (anew) multiplyRows(outputs, factor);
            takeWeights();
        }
        this->waitTurn();
        fenceProducts();
        this->queueOutputs(outputs, weights);
        const int row = tile.firstQuery + 64 * group + 16 * warp + lane / 4;
        if constexpr (C::kBranch == Branch::Linear) {
            std::uint32_t features[kOutputs / 2];
            takeFeatures(features,
                         call.featureSums + (tile.batch * (shape.queryHeads / shape.queryHeadsPerKeyHead) +
                                             tile.keyHead(call)) *
                                                C::kHeadDim);
            release(shared.qEmpty);
            finishValues();
            divideAndAddBias<C::kHeadDim>(outputs, softmax, call.bias, shape.headDim, lane);
            addLinear(outputs, features);
            Normalised normalised;
            storeRows<Element, C::kHeadDim>(outputs, normalised, shape, row, lane, tile.head, tile.batch);
        } else {
            finishValues();
            storeRows<Element, C::kHeadDim>(outputs, softmax, shape, row, lane, tile.head, tile.batch,
                                            call.places);
        }
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    slaKernel(const __grid_constant__ CUtensorMap qMap, const __grid_constant__ CUtensorMap kMap,
              const __grid_constant__ CUtensorMap vMap, const __grid_constant__ CUtensorMap matrixMap,
              const __grid_constant__ SlaCall call) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using namespace hopper;
    extern __shared__ std::uint8_t raw[];
    auto* streams =
        reinterpret_cast<Fav3Shared<C>*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) / 1024 * 1024);
#pragma unroll
    for (int stream = 0; stream < C::kStreams; ++stream) startShared<C>(streams[stream]);
    afterPrevious();
    const auto first = [&](int stream) { return static_cast<int>(blockIdx.x) * C::kStreams + stream; };
    const int stride = static_cast<int>(gridDim.x) * C::kStreams;
    const int group = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 128, 0) - 1;
    if (group < 0) {
        giveRegisters<C::kCopyRegisters>();
        const int stream = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 32, 0);
        if (stream < C::kStreams)
            copyChosen<C>(streams[stream], qMap, kMap, vMap, matrixMap, call, first(stream), stride);
    } else {
        takeRegisters<C::kComputeRegisters>();
        const int stream = group / C::kGroups;
        SlaGroup<C> worker{{streams[stream], call.tiles, group % C::kGroups,
                            static_cast<int>(threadIdx.x) / 32 % 4, static_cast<int>(threadIdx.x) % 32},
                           call};
        if (group == C::kGroups - 1) worker.passTurn();
        for (int index = first(stream); index < call.tiles.tiles; index += stride)
            worker.attend(SlaTile<C>(call, index));
        if (group == 0) worker.waitTurn();  // takes what the last one passed
    }
#else
    __trap();
#endif
}

}  // namespace reelgrid::kernels::cuda::device
