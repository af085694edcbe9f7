#pragma once

// fav3 on datacentre Blackwell (compute capability 10.0 and 10.3): a block takes two groups of 128 queries of
// a head. One warp copies Q and the tiles of 128 keys and values, from the last to the first; one thread asks
// for the products; a warpgroup for each group of queries does the softmax, a thread a query. Scores, weights
// and outputs lie in tensor memory, where the weights take the scores' place. While one group weighs its
// scores, the tensor cores multiply for the other:
//
//   tensor cores   S0(0) S1(0)  O0(0) S0(1)  O1(0) S1(1)  O0(1) S0(2)  O1(1) ...
//   group 0             weighs S0(0)        weighs S0(1)        weighs S0(2) ...
//   group 1                   weighs S1(0)        weighs S1(1)        ...
//
// (S: Q Kᵀ, O: += P V, of group 0 or 1; in brackets the tile).
// Weights are relative to a maximum that follows the largest score when that has risen by 2^8.
// sm_100f. Compiled, never run: no speed is claimed and no result was checked on a card.

#include "kernels/cuda/attention/blackwell/tcgen05.cuh"
#include "kernels/cuda/attention/blackwell/tcgen05_operands.h"
#include "kernels/cuda/attention/score_rows.cuh"

namespace reelgrid::kernels::cuda::device {

struct Fav3Tcgen05Call {
    AttentionShape shape;
    int blocks;  ///< of a head
};

template <class Element_, int kHeadDim_>
struct Fav3Tcgen05Config {
    using Element = Element_;
    static constexpr int kHeadDim = kHeadDim_;
    static_assert(kHeadDim == 64 || kHeadDim == 128);
    static constexpr int kGroups = 2;
    static constexpr int kQueries = blackwell::kTileRows;  ///< of a group
    static constexpr int kKeys = blackwell::kTileRows;     ///< of a tile
    static constexpr int kHalves = kHeadDim / blackwell::kTileColumns;
    static constexpr int kStages = kHeadDim == 64 ? 4 : 2;
    static constexpr int kBytes = kHalves * blackwell::kTileBytes;  ///< of a group's queries, of a tile
    static constexpr int kCopyWarp = 4 * kGroups, kProductWarp = kCopyWarp + 1;
    static constexpr int kThreads = 128 * (kGroups + 1);
    /// (2 · 208 + 88) · 128 is the whole file; three warpgroups begin with 168 registers a thread each.
    static constexpr int kRowRegisters = 208, kOtherRegisters = 88;
    static constexpr auto kFormat =
        std::is_same_v<Element, __half> ? blackwell::Format::Fp16 : blackwell::Format::Bf16;
};

/// Tiles of keys are numbered in the order of use: tile `index` is in stage index % kStages. Barriers' phases
/// are counted from 0; who waits for phase n names parity n & 1.
template <class C>
struct Fav3Tcgen05Shared {
    using Tile = typename C::Element[C::kHalves][blackwell::kTileRows][blackwell::kTileColumns];
    alignas(1024) Tile q[C::kGroups];
    alignas(1024) Tile k[C::kStages];
    alignas(1024) Tile v[C::kStages];
    // Of stages: phase n is that of tile stage + n · kStages.
    hopper::Barrier kFull[C::kStages], vFull[C::kStages];    ///< copied
    hopper::Barrier kEmpty[C::kStages], vEmpty[C::kStages];  ///< multiplied
    // Of groups: phase n is that of tile n.
    hopper::Barrier qFull[C::kGroups];
    hopper::Barrier scoresFull[C::kGroups];   ///< the product is done
    hopper::Barrier weightsFull[C::kGroups];  ///< all threads of the group have stored theirs
    hopper::Barrier outputsFull[C::kGroups];  ///< the product is done
    std::uint32_t tensorMemory;               ///< address of this block's columns
};

/// The queries that a block works on.
template <class C>
struct Fav3Tcgen05Block {
    int firstQuery, head, batch, keyTiles;

    __device__ Fav3Tcgen05Block(const Fav3Tcgen05Call& call, int index) {
        constexpr int kAll = C::kGroups * C::kQueries;
        const AttentionShape& shape = call.shape;
        int place = index % call.blocks;
        if (shape.mask == Mask::Causal) place = call.blocks - 1 - place;  // the longest first
        firstQuery = place * kAll;
        head = index / call.blocks % shape.queryHeads;
        batch = index / call.blocks / shape.queryHeads;
        const int last = min(firstQuery + kAll, shape.queries) - 1;
        keyTiles = (shape.seenBy(last) + C::kKeys - 1) / C::kKeys;
    }
    /// The first key of a tile, the last tile being used first.
    __device__ int firstKey(int tile) const { return (keyTiles - 1 - tile) * C::kKeys; }
};

template <class C>
__device__ void startFav3Tcgen05(Fav3Tcgen05Shared<C>& shared) {
    for (int stage = 0; stage < C::kStages; ++stage) {
        shared.kFull[stage].start(1);
        shared.vFull[stage].start(1);
        shared.kEmpty[stage].start(1);
        shared.vEmpty[stage].start(1);
    }
    for (int group = 0; group < C::kGroups; ++group) {
        shared.qFull[group].start(1);
        shared.scoresFull[group].start(1);
        shared.weightsFull[group].start(C::kQueries);
        shared.outputsFull[group].start(1);
    }
    hopper::publishBarriers();
}

/// Asks for all copies, in the order of use. What lies outside Q, K and V is copied as zeros. One thread.
template <class C>
__device__ void copyForFav3Tcgen05(Fav3Tcgen05Shared<C>& shared, const CUtensorMap& qMap,
                                   const CUtensorMap& kMap, const CUtensorMap& vMap,
                                   const AttentionShape& shape, const Fav3Tcgen05Block<C>& block) {
    const auto copy = [&](auto& to, const CUtensorMap& map, hopper::Barrier& full, int row, int head) {
        full.arriveExpecting(C::kBytes);
#pragma unroll
        for (int half = 0; half < C::kHalves; ++half)
            hopper::copyBox(to[half], map, full, blackwell::kTileColumns * half, row, head, block.batch);
    };
    const int keyHead = block.head / shape.queryHeadsPerKeyHead;
    for (int group = 0; group < C::kGroups; ++group)
        copy(shared.q[group], qMap, shared.qFull[group], block.firstQuery + group * C::kQueries, block.head);
    for (int tile = 0; tile < block.keyTiles; ++tile) {
        const int stage = tile % C::kStages;
        const std::uint32_t before = (tile / C::kStages & 1) ^ 1;  // a stage's first turn waits for nothing
        shared.kEmpty[stage].wait(before);
        copy(shared.k[stage], kMap, shared.kFull[stage], block.firstKey(tile), keyHead);
        shared.vEmpty[stage].wait(before);
        copy(shared.v[stage], vMap, shared.vFull[stage], block.firstKey(tile), keyHead);
    }
}

/// Asks for all products. One thread, always the same: commit() speaks for the thread that asked.
template <class C>
__device__ void multiplyForFav3Tcgen05(Fav3Tcgen05Shared<C>& shared, int keyTiles) {
    using namespace blackwell;
    const std::uint32_t memory = shared.tensorMemory;
    /// Scores of a group: Q Kᵀ.
    const auto queueScores = [&](int group, int tile) {
        const int stage = tile % C::kStages;
        constexpr std::uint32_t kInstruction = instruction(C::kFormat, Major::K, C::kKeys);
        shared.kFull[stage].wait(tile / C::kStages & 1);
        fenceAfterHearing();
        const std::uint64_t q = rowsOperand(hopper::sharedAddress(shared.q[group])),
                            k = rowsOperand(hopper::sharedAddress(shared.k[stage]));
#pragma unroll
        for (int step = 0; step < C::kHeadDim / kStep; ++step)
            multiply(memory + scoresColumn(group), advanced(q, dimsOffset(step)),
                     advanced(k, dimsOffset(step)), kInstruction, step > 0);
        commit(shared.scoresFull[group]);
    };
    /// Outputs of a group: += P V. The weights are there, and the outputs so far follow their maximum.
    const auto queueOutputs = [&](int group, int tile) {
        const int stage = tile % C::kStages;
        constexpr std::uint32_t kInstruction = instruction(C::kFormat, Major::Mn, C::kHeadDim);
        shared.vFull[stage].wait(tile / C::kStages & 1);
        shared.weightsFull[group].wait(tile & 1);
        fenceAfterHearing();
        const std::uint64_t v = columnsOperand(hopper::sharedAddress(shared.v[stage]));
#pragma unroll
        for (int step = 0; step < C::kKeys / kStep; ++step)
            multiplyTensor(memory + outputsColumn(group), memory + scoresColumn(group) + weightsOffset(step),
                           advanced(v, keysOffset(step)), kInstruction, tile + step > 0);
        commit(shared.outputsFull[group]);
    };
    /// The stage of a tile may be copied to when all products so far are done. Only where there is a copy:
    /// nothing may arrive at a barrier when the block is gone.
    const auto release = [&](hopper::Barrier(&empty)[C::kStages], int tile) {
        if (tile + C::kStages < keyTiles) commit(empty[tile % C::kStages]);
    };

    for (int group = 0; group < C::kGroups; ++group) {
        shared.qFull[group].wait(0);
        queueScores(group, 0);
    }
    release(shared.kEmpty, 0);
    for (int tile = 0; tile < keyTiles; ++tile) {
        const bool isLast = tile + 1 == keyTiles;
        for (int group = 0; group < C::kGroups; ++group) {
            queueOutputs(group, tile);
            if (group == C::kGroups - 1) release(shared.vEmpty, tile);
            if (isLast) continue;
            // The next scores take the place of the weights, and products with other sums aren't ordered.
            shared.outputsFull[group].wait(tile & 1);
            queueScores(group, tile + 1);
        }
        if (!isLast) release(shared.kEmpty, tile + 1);
    }
}

/// The softmax of one query, a thread of its group's warpgroup, in base 2.
template <class C>
struct Fav3Tcgen05Row {
    using Element = typename C::Element;
    static constexpr int kPart = 32;  ///< columns that are moved at a time

    Fav3Tcgen05Shared<C>& shared;
    const AttentionShape& shape;
    const Fav3Tcgen05Block<C>& block;
    const int group;
    const std::uint32_t scoresPlace, outputsPlace;  ///< in tensor memory
    const int seen;
    float top = kMinusInfinity;  ///< what weights are relative to; −inf until a key was seen
    float sum = 0;

    /// `warp`: of the group.
    __device__ Fav3Tcgen05Row(Fav3Tcgen05Shared<C>& shared, const AttentionShape& shape,
                              const Fav3Tcgen05Block<C>& block, int group, int warp)
        : shared(shared),
          shape(shape),
          block(block),
          group(group),
          scoresPlace(
              blackwell::tensorAddress(shared.tensorMemory, 32 * warp, blackwell::scoresColumn(group))),
          outputsPlace(
              blackwell::tensorAddress(shared.tensorMemory, 32 * warp, blackwell::outputsColumn(group))),
          seen(shape.seenBy(query())) {}

    /// Threads of both groups follow each other as their queries do.
    __device__ int query() const { return block.firstQuery + static_cast<int>(threadIdx.x); }

    /// The warp goes on together: what follows is for whole warps.
    __device__ static void hear(hopper::Barrier& barrier, std::uint32_t parity) {
        barrier.wait(parity);
        __syncwarp();
        blackwell::fenceAfterHearing();
    }

    /// Adds the key bias (then scores are scaled, too) and hides the keys that this query doesn't see, those
    /// after the last among them.
    __device__ void biasAndHideKeys(float (&scores)[C::kKeys], int firstKey) const {
        if (shape.keyBias != nullptr) {
#pragma unroll
            for (int i = 0; i < C::kKeys; ++i) {
                const float bias =
                    firstKey + i < shape.keys ? __ldg(shape.keyBias + firstKey + i) * kLog2E : 0.0F;
                scores[i] = fmaf(scores[i], shape.scale, bias);
            }
        }
        if (!__any_sync(0xffffffffU, firstKey + C::kKeys > seen)) return;
#pragma unroll
        for (int i = 0; i < C::kKeys; ++i)
            if (firstKey + i >= seen) scores[i] = kMinusInfinity;
    }

    /// The outputs so far follow a maximum that rose; no product is under way.
    __device__ void multiplyOutputs(float factor) const {
#pragma unroll
        for (int from = 0; from < C::kHeadDim; from += kPart) {
            float outputs[kPart];
            blackwell::loadColumns<0>(outputs, outputsPlace + from);
            blackwell::finishLoads(outputs);
#pragma unroll
            for (float& output : outputs) output *= factor;
            blackwell::storeColumns(outputsPlace + from, outputs);
        }
    }

    /// Takes a higher maximum where some query of the warp asks for one.
    __device__ void riseTo(float here, bool hasOutputs) {
        if (!__any_sync(0xffffffffU, here > top + OnlineSoftmax::kSlack)) return;
        const float risen = fmaxf(top, here);
        const float factor = risen == top ? 1.0F : powerOfTwo(top - risen);
        sum *= factor;
        top = risen;
        if (hasOutputs) multiplyOutputs(factor);
    }

    /// Scores become weights, which take their place.
    __device__ void weigh(float (&scores)[C::kKeys], float scale) {
        const float base = top == kMinusInfinity ? 0.0F : top;
        float sums[4] = {0, 0, 0, 0};
#pragma unroll
        for (int from = 0; from < C::kKeys; from += 2 * kPart) {
            std::uint32_t weights[kPart];
#pragma unroll
            for (int i = 0; i < kPart; ++i) {
                const float first = powerOfTwo(fmaf(scores[from + 2 * i], scale, -base)),
                            second = powerOfTwo(fmaf(scores[from + 2 * i + 1], scale, -base));
                sums[2 * i % 4] += first;
                sums[(2 * i + 1) % 4] += second;
                weights[i] = packedPair<Element>(first, second);
            }
            blackwell::storeColumns(scoresPlace + from / 2, weights);
        }
        sum += sums[0] + sums[1] + (sums[2] + sums[3]);
    }

    __device__ void attend() {
        using namespace blackwell;
        const float scale = shape.remainingScale();
        for (int tile = 0; tile < block.keyTiles; ++tile) {
            // Then the outputs of the tile before are done, too: they were asked for, and waited for, before.
            hear(shared.scoresFull[group], tile & 1);
            float scores[C::kKeys];
            loadColumns<0>(scores, scoresPlace);
            loadColumns<kPart>(scores, scoresPlace + kPart);
            loadColumns<2 * kPart>(scores, scoresPlace + 2 * kPart);
            loadColumns<3 * kPart>(scores, scoresPlace + 3 * kPart);
            finishLoads(scores);
            biasAndHideKeys(scores, block.firstKey(tile));
            float most[4] = {scores[0], scores[1], scores[2], scores[3]};
#pragma unroll
            for (int i = 4; i < C::kKeys; ++i) most[i % 4] = fmaxf(most[i % 4], scores[i]);
            riseTo(fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3])) * scale, tile > 0);
            weigh(scores, scale);
            finishStores();
            fenceBeforeTelling();
            shared.weightsFull[group].arrive();
        }
        if (block.keyTiles > 0) hear(shared.outputsFull[group], (block.keyTiles - 1) & 1);
        store();
    }

    /// Divides by the sum and writes what lies inside the output.
    __device__ void store() const {
        constexpr float kLn2 = 0.6931471805599453F;
        const float inverse = sum == 0.0F ? 0.0F : 1.0F / sum;
        const bool isInside = query() < shape.queries;
        auto* place = static_cast<Element*>(shape.out) + block.batch * shape.outStrides.batch +
                      block.head * shape.outStrides.head + query() * shape.outStrides.token;
#pragma unroll
        for (int from = 0; from < C::kHeadDim; from += kPart) {
            float outputs[kPart];
            if (block.keyTiles > 0) {
                blackwell::loadColumns<0>(outputs, outputsPlace + from);
                blackwell::finishLoads(outputs);
            } else {
#pragma unroll
                for (float& output : outputs) output = 0;
            }
            if (!isInside) continue;
#pragma unroll
            for (int i = 0; i < kPart; i += 8) {
                if (from + i >= shape.headDim) continue;
                std::uint32_t pairs[4];
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    pairs[j] =
                        packedPair<Element>(outputs[i + 2 * j] * inverse, outputs[i + 2 * j + 1] * inverse);
                *reinterpret_cast<uint4*>(place + from + i) =
                    make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
            }
        }
        if (shape.lse != nullptr && isInside)
            shape.lse[(static_cast<std::int64_t>(block.batch) * shape.queryHeads + block.head) *
                          shape.queries +
                      query()] = sum == 0.0F ? kMinusInfinity : (top + log2f(sum)) * kLn2;
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    fav3Tcgen05Kernel(const __grid_constant__ CUtensorMap qMap, const __grid_constant__ CUtensorMap kMap,
                      const __grid_constant__ CUtensorMap vMap,
                      const __grid_constant__ Fav3Tcgen05Call call) {
#if (defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && __CUDA_ARCH_FAMILY_SPECIFIC__ == 1000) || \
    defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL)
    using namespace blackwell;
    extern __shared__ std::uint8_t raw[];
    auto& shared = *reinterpret_cast<Fav3Tcgen05Shared<C>*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) /
                                                            1024 * 1024);
    // From lane 0, so that the compiler knows it to be the warp's.
    const int warp = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 32, 0);
    const Fav3Tcgen05Block<C> block(call, static_cast<int>(blockIdx.x));
    if (warp == C::kCopyWarp && isChosen()) startFav3Tcgen05<C>(shared);
    if (warp == C::kProductWarp) reserveColumns<kTensorColumns>(&shared.tensorMemory);
    __syncwarp();
    fenceBeforeTelling();
    __syncthreads();
    fenceAfterHearing();
    if (warp < C::kCopyWarp) {
        hopper::takeRegisters<C::kRowRegisters>();
        Fav3Tcgen05Row<C>(shared, call.shape, block, warp / 4, warp % 4).attend();
    } else {
        hopper::giveRegisters<C::kOtherRegisters>();
        if (warp == C::kCopyWarp && block.keyTiles > 0 && isChosen())
            copyForFav3Tcgen05<C>(shared, qMap, kMap, vMap, call.shape, block);
        if (warp == C::kProductWarp && block.keyTiles > 0 && isChosen())
            multiplyForFav3Tcgen05<C>(shared, block.keyTiles);
    }
    __syncwarp();
    fenceBeforeTelling();
    __syncthreads();
    fenceAfterHearing();
    if (warp == C::kProductWarp) returnColumns<kTensorColumns>(shared.tensorMemory);
#else
    __trap();
#endif
}

}  // namespace reelgrid::kernels::cuda::device
