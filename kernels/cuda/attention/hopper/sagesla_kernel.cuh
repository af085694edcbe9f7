#pragma once

// SageSLA for Hopper: fav3_sage's products over the blocks of 128 keys that sla's map chose for each block of
// 64 queries. A warpgroup has such a block and a ring of its own; two or three of them share a
// multiprocessor. The linear branch's matrices follow as more tiles of values, sixteen-bit ones. sm_90a.

#include "kernels/cuda/attention/hopper/fav3_quantised_kernel.cuh"
#include "kernels/cuda/attention/hopper/sla_branch.cuh"

namespace reelgrid::kernels::cuda::device {

struct SageslaCall {
    AttentionShape shape;  ///< its scale is 1: the queries hold it
    QuantisedOperands operands;
    const void* q;  ///< as they came, for the linear branch
    Strides qStrides;
    DataType type;
    int queryTiles;              ///< of a head
    int tiles;                   ///< of all heads and batches
    int count;                   ///< of blocks chosen for a tile
    const std::int32_t* chosen;  ///< [batch][query heads][query tiles][count], ascending
    const float* featureSums;    ///< [batch][key heads][D]: Σ φ(k)
    const float* bias;           ///< of the projection, or null
    std::uint32_t zero;          ///< as in Fav3QuantisedCall
};

template <int kHeadDim_, Branch kBranch_>
struct SageslaConfig {
    using Score = std::int32_t;
    static constexpr int kHeadDim = kHeadDim_;
    static constexpr Branch kBranch = kBranch_;
    static constexpr SparseBlocks kMap = traitsOf(Method::SageSparseLinear, kHeadDim).sparse;
    static constexpr int kGroups = 1;
    static constexpr int kQueries = 64, kKeys = 128;
    static_assert(kMap.queries == kQueries && kMap.keys == kKeys);
    static constexpr int kStages = kHeadDim == 128 ? 2 : 3;
    static constexpr float kWeightOffset = weightOffsetOf(Method::SageSparseLinear);
    static constexpr int kFoldTiles = 4;
    /// Warpgroups that work side by side.
    static constexpr int kStreams = kHeadDim == 128 ? 2 : 3;
    static constexpr int kThreads = 128 * (kStreams + 1);
    // (40 + 2 · 232) and (32 + 3 · 160) registers are what 3 · 168 and 4 · 128 give.
    static constexpr int kCopyRegisters = kStreams == 2 ? 40 : 32,
                         kComputeRegisters = kStreams == 2 ? 232 : 160;
    static constexpr int kQueryBytes = kQueries * kHeadDim, kKeyBytes = kKeys * kHeadDim;
    static constexpr int kValueAlignment = 1024;  ///< of swizzled tiles
    static constexpr int kHalves = kHeadDim / 64;
    /// Rows of a matrix in a tile of values: two bytes take the room of two keys.
    static constexpr int kMatrixRows = kKeys / 2;
    static constexpr int kMatrixTiles = kBranch == Branch::Linear ? 2 * kHeadDim / kMatrixRows : 0;
};

/// One block of queries and what it attends to.
template <class C>
struct SageslaTile {
    int firstQuery, head, batch;
    const std::int32_t* chosen;

    __device__ SageslaTile(const SageslaCall& call, int index)
        : firstQuery(index % call.queryTiles * C::kQueries),
          head(index / call.queryTiles % call.shape.queryHeads),
          batch(index / call.queryTiles / call.shape.queryHeads),
          chosen(call.chosen + std::int64_t{index} * call.count) {}

    /// Over the batch.
    __device__ int queryHead(const SageslaCall& call) const { return batch * call.shape.queryHeads + head; }
    __device__ int keyHead(const SageslaCall& call) const {
        return queryHead(call) / call.shape.queryHeadsPerKeyHead;
    }
};

/// A warp asks the copy engine for every tile, in the order of use; its lanes hold the next 32 blocks.
template <class C>
__device__ void copyChosenBytes(Fav3QuantisedShared<C>& shared, const CUtensorMap& matrixMap,
                                const SageslaCall& call, int first, int stride) {
    using namespace hopper;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const QuantisedOperands& x = call.operands;
    RingPlace<C::kStages> kPlace, vPlace;
    std::uint32_t qParity = 0;
    const auto open = [](Barrier& full, Barrier& empty, std::uint32_t parity, int bytes) {
        empty.wait(parity ^ 1);
        full.arriveExpecting(bytes);
    };
    for (int index = first; index < call.tiles; index += stride) {
        const SageslaTile<C> tile(call, index);
        const int keyHead = tile.keyHead(call);
        const std::int64_t keyStart = std::int64_t{keyHead} * x.keyRows * C::kHeadDim;
        int held = 0;
        const auto look = [&](int n) {
            if (n == call.count - 1 || n % 32 == 31) {
                const int place = n / 32 * 32 + lane;
                held = place < call.count ? __ldg(tile.chosen + place) : 0;
            }
            return __shfl_sync(0xffffffffU, held, n % 32);
        };
        const auto copyK = [&](int block) {
            if (lane == 0) {
                open(shared.kFull[kPlace.stage], shared.kEmpty[kPlace.stage], kPlace.parity, C::kKeyBytes);
                copyBytes(shared.k[kPlace.stage], x.k + keyStart + std::int64_t{block} * C::kKeyBytes,
                          C::kKeyBytes, shared.kFull[kPlace.stage]);
            }
            kPlace.next();
        };
        const auto copyV = [&](int block) {
            if (lane == 0) {
                open(shared.vFull[vPlace.stage], shared.vEmpty[vPlace.stage], vPlace.parity, C::kKeyBytes);
                copyBytes(shared.v[vPlace.stage], x.v + keyStart + std::int64_t{block} * C::kKeyBytes,
                          C::kKeyBytes, shared.vFull[vPlace.stage]);
            }
            vPlace.next();
        };
        if (lane == 0) {
            open(shared.qFull, shared.qEmpty, qParity, C::kQueryBytes);
            copyBytes(
                shared.q,
                x.q + (std::int64_t{tile.queryHead(call)} * x.queryRows + tile.firstQuery) * C::kHeadDim,
                C::kQueryBytes, shared.qFull);
        }
        qParity ^= 1;
        int block = look(call.count - 1);
        copyK(block);
        for (int n = call.count - 1; n > 0; --n) {
            const int next = look(n - 1);
            copyK(next);
            copyV(block);
            block = next;
        }
        copyV(block);
#pragma unroll
        for (int i = 0; i < C::kMatrixTiles; ++i) {
            if (lane == 0) {
                open(shared.vFull[vPlace.stage], shared.vEmpty[vPlace.stage], vPlace.parity, C::kKeyBytes);
#pragma unroll
                for (int half = 0; half < C::kHalves; ++half)
                    copyBox(shared.v[vPlace.stage] + half * C::kMatrixRows * 128, matrixMap,
                            shared.vFull[vPlace.stage], 64 * half, i * C::kMatrixRows,
                            keyHead % (call.shape.queryHeads / call.shape.queryHeadsPerKeyHead), tile.batch);
            }
            vPlace.next();
        }
    }
}

/// The blocks that were chosen for a tile.
template <class C>
struct ChosenWalk {
    static constexpr int kFactors = C::kKeys / kFactorColumns;

    const AttentionShape& shape;
    const std::int32_t* chosen;
    int keyTiles, row;
    int edge;  ///< from this one on a block has fewer keys than others
    float queryFactor;
    const float *keyScales, *valueScales;  ///< of the head
    std::uint32_t zero;

    __device__ int firstKeyOf(int n) const { return __ldg(chosen + n) * C::kKeys; }
    __device__ void loadFactors(int n, float (&factors)[kFactors]) const {
        const float scale = __ldg(keyScales + __ldg(chosen + n));
#pragma unroll
        for (float& factor : factors) factor = scale;
    }
};

/// A warpgroup that computes.
template <class C>
struct SageslaGroup : Fav3QuantisedGroup<C> {
    using Base = Fav3QuantisedGroup<C>;
    using Base::kOutputs;
    using Base::release;
    using Base::warp, Base::lane, Base::shared, Base::vPlace;

    const SageslaCall& call;

    /// φ of this thread's queries (sla_branch.cuh).
    template <class Element>
    __device__ void takeFeatures(std::uint32_t (&features)[kOutputs / 2], const SageslaTile<C>& tile,
                                 int row) const {
        float x[kOutputs];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const int query = row + 8 * r;
            const auto* from = static_cast<const Element*>(call.q) + tile.batch * call.qStrides.batch +
                               tile.head * call.qStrides.head + query * call.qStrides.token + lane % 4 * 2;
#pragma unroll
            for (int j = 0; j < C::kHeadDim / 8; ++j) {
                const bool inside = 8 * j < call.shape.headDim;
                const std::uint32_t pair = inside && query < call.shape.queries
                                               ? __ldg(reinterpret_cast<const std::uint32_t*>(from + 8 * j))
                                               : 0U;
                const float2 two = unpack<Element>(pair);
                x[4 * j + 2 * r] = inside ? two.x : kMinusInfinity;
                x[4 * j + 2 * r + 1] = inside ? two.y : kMinusInfinity;
            }
        }
        featuresOf<C::kHeadDim>(x, call.featureSums + std::int64_t{tile.keyHead(call)} * C::kHeadDim, lane,
                                features);
    }

    /// sums += left · the next D rows of the matrices.
    __device__ void addProduct(float (&sums)[kOutputs], std::uint32_t (&left)[kOutputs / 2]) {
        using namespace hopper;
#pragma unroll
        for (int first = 0; first < C::kHeadDim; first += C::kMatrixRows) {
            shared.vFull[vPlace.stage].wait(vPlace.parity);
            const std::uint64_t matrix = columnsOperand(shared.v[vPlace.stage], C::kMatrixRows * 128);
            pin(sums);
            pin(left);
            fenceProducts();
#pragma unroll
            for (int step = 0; step < C::kMatrixRows / 16; ++step)
                Product<C::kHeadDim>::registersByColumns(
                    __nv_bfloat16{}, sums, left + 4 * (first / 16 + step), advanced(matrix, 16 * 128 * step));
            commitProducts();
            waitProducts<0>();
            pin(sums);
            pin(left);
            release(shared.vEmpty[vPlace.stage]);
            vPlace.next();
        }
    }

    /// Outputs, divided by now, += the linear branch through the projection.
    __device__ void addLinear(float (&outputs)[kOutputs], std::uint32_t (&features)[kOutputs / 2]) {
        float linear[kOutputs];
#pragma unroll
        for (float& value : linear) value = 0;
        addProduct(linear, features);
#pragma unroll
        for (int i = 0; i < kOutputs / 2; ++i)
            features[i] = packedPair<__nv_bfloat16>(linear[2 * i], linear[2 * i + 1]);
        addProduct(outputs, features);
    }

    template <class Element>
    __device__ void finishTile(float (&outputs)[kOutputs], typename Base::Softmax& softmax,
                               const SageslaTile<C>& tile, int row) {
        if constexpr (C::kBranch == Branch::Linear) {
            divideAndAddBias<C::kHeadDim>(outputs, softmax, call.bias, call.shape.headDim, lane);
            std::uint32_t features[kOutputs / 2];
            takeFeatures<Element>(features, tile, row);
            addLinear(outputs, features);
            Normalised normalised;
            storeRows<Element, C::kHeadDim>(outputs, normalised, call.shape, row, lane, tile.head,
                                            tile.batch);
        } else {
            storeRows<Element, C::kHeadDim>(outputs, softmax, call.shape, row, lane, tile.head, tile.batch);
        }
    }

    __device__ void attend(const SageslaTile<C>& tile) {
        const QuantisedOperands& x = call.operands;
        float outputs[kOutputs];
#pragma unroll
        for (float& value : outputs) value = 0;
        typename Base::Softmax softmax;
        const int row = tile.firstQuery + 16 * warp + lane / 4;
        const std::int64_t keyHead = tile.keyHead(call);
        // Only the last block chosen can be the last of the keys.
        const bool isShort = (__ldg(tile.chosen + call.count - 1) + 1) * C::kKeys > call.shape.keys;
        this->multiplyAll(outputs, softmax,
                          ChosenWalk<C>{.shape = call.shape,
                                        .chosen = tile.chosen,
                                        .keyTiles = call.count,
                                        .row = row,
                                        .edge = isShort ? call.count - 1 : call.count,
                                        .queryFactor = __ldg(
                                            x.qScales + std::int64_t{tile.queryHead(call)} * call.queryTiles +
                                            tile.firstQuery / C::kQueries),
                                        .keyScales = x.kScales + keyHead * (x.keyRows / C::kKeys),
                                        .valueScales = x.vScales + keyHead * C::kHeadDim,
                                        .zero = call.zero});
        if (call.type == DataType::Float16)
            finishTile<__half>(outputs, softmax, tile, row);
        else
            finishTile<__nv_bfloat16>(outputs, softmax, tile, row);
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    sageslaKernel(const __grid_constant__ CUtensorMap matrixMap, const __grid_constant__ SageslaCall call) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using namespace hopper;
    extern __shared__ std::uint8_t raw[];
    auto* streams = reinterpret_cast<Fav3QuantisedShared<C>*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) /
                                                              1024 * 1024);
#pragma unroll
    for (int stream = 0; stream < C::kStreams; ++stream) startShared<C>(streams[stream]);
    const auto first = [&](int stream) { return static_cast<int>(blockIdx.x) * C::kStreams + stream; };
    const int stride = static_cast<int>(gridDim.x) * C::kStreams;
    const int group = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 128, 0) - 1;
    if (group < 0) {
        giveRegisters<C::kCopyRegisters>();
        const int stream = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x) / 32, 0);
        if (stream < C::kStreams) copyChosenBytes<C>(streams[stream], matrixMap, call, first(stream), stride);
    } else {
        takeRegisters<C::kComputeRegisters>();
        SageslaGroup<C> worker{
            {streams[group], 0, static_cast<int>(threadIdx.x) / 32 % 4, static_cast<int>(threadIdx.x) % 32},
            call};
        for (int index = first(group); index < call.tiles; index += stride)
            worker.attend(SageslaTile<C>(call, index));
    }
#else
    __trap();
#endif
}

}  // namespace reelgrid::kernels::cuda::device
