#pragma once

// Attention to some of the blocks of keys for every GPU since Ampere, on fav2's parts, for every sparse
// method: a block of threads holds one block of queries and walks the blocks of keys that a map keeps. The
// two matrices of sla's linear branch then take the place of K, and what lies between its two products that
// of Q.

#include "kernels/cuda/attention/sla/sla_call.cuh"
#include "kernels/cuda/attention/sm80/fav2_kernel.cuh"

namespace reelgrid::kernels::cuda::device {

struct SlaMmaCall {
    Fav2Call tiles;
    KeptBlocks kept;                ///< of each tile
    PlacesInOrder places;           ///< of queries in the output
    const float* featureSums;       ///< [batch][key heads][D]: Σ φ(k)
    const __nv_bfloat16* matrices;  ///< [batch][key heads][2 D][D]: φ(k)ᵀ v, then the projection
    const float* bias;              ///< of the projection, or null
};

template <class Element_, int kHeadDim_, Branch kBranch_>
struct SlaMmaConfig : Fav2Config<Element_, kHeadDim_> {
    static constexpr Branch kBranch = kBranch_;
    static_assert(Fav2Config<Element_, kHeadDim_>::kQueries == kSparseQueries);
    static_assert(Fav2Config<Element_, kHeadDim_>::kKeys == kSparseKeys);
};

template <class C>
struct SlaMmaBlock : Fav2Block<C> {
    using Base = Fav2Block<C>;
    using Element = typename C::Element;
    using Base::kScores, Base::kOutputs;
    using Base::warp, Base::lane, Base::qShared, Base::kShared, Base::vShared, Base::placeOf;

    const SlaMmaCall& call;

    /// This thread's place in 16 rows of the warp's queries, 16 columns from `column` of 16 bytes on.
    __device__ std::uint32_t queryPlace(int m, int column) const {
        return qShared + placeOf(32 * warp + 16 * m + lane % 16, column + lane / 16);
    }

    /// φ of 16 rows of queries, divided by 1e-5 + φ(q) · Σ φ(k), as a product's left operand.
    __device__ void takeFeatures(std::uint32_t (&features)[kOutputs / 2], int m, const float* sums) const {
        float x[kOutputs];
#pragma unroll
        for (int step = 0; step < C::kHeadDim / 16; ++step) {
            std::uint32_t q[4];
            ampere::loadMatrices(q, queryPlace(m, 2 * step));
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float2 pair = unpack<Element>(q[i]);
                const bool inside = 16 * step + i / 2 * 8 < call.tiles.shape.headDim;
                x[8 * step + 2 * i] = inside ? pair.x : kMinusInfinity;
                x[8 * step + 2 * i + 1] = inside ? pair.y : kMinusInfinity;
            }
        }
        float most[2] = {kMinusInfinity, kMinusInfinity}, sum[2] = {0, 0}, total[2] = {0, 0};
#pragma unroll
        for (int i = 0; i < kOutputs; ++i) most[i / 2 % 2] = fmaxf(most[i / 2 % 2], x[i]);
        most[0] = quadMax(most[0]) * kLog2E;
        most[1] = quadMax(most[1]) * kLog2E;
#pragma unroll
        for (int j = 0; j < C::kHeadDim / 8; ++j) {
            const float2 keys = __ldg(reinterpret_cast<const float2*>(sums + 8 * j) + lane % 4);
#pragma unroll
            for (int i = 4 * j; i < 4 * j + 4; ++i) {
                const int r = i / 2 % 2;
                x[i] = powerOfTwo(fmaf(x[i], kLog2E, -most[r]));
                sum[r] += x[i];
                total[r] = fmaf(x[i], i % 2 == 0 ? keys.x : keys.y, total[r]);
            }
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) total[r] = 1.0F / fmaf(1e-5F, quadSum(sum[r]), quadSum(total[r]));
#pragma unroll
        for (int i = 0; i < kOutputs / 2; ++i)
            features[i] = packedPair<__nv_bfloat16>(x[2 * i] * total[i % 2], x[2 * i + 1] * total[i % 2]);
    }

    /// Sixteen rows of queries in shared memory become φ(q) φ(k)ᵀ v over their denominators. No other warp
    /// reads them.
    __device__ void replaceQueries(int m, const float* sums) const {
        using namespace ampere;
        std::uint32_t features[kOutputs / 2];
        takeFeatures(features, m, sums);
        __syncwarp();
#pragma unroll
        for (int n = 0; n < C::kHeadDim / 16; ++n) {
            float linear[8] = {};
#pragma unroll
            for (int step = 0; step < C::kHeadDim / 16; ++step) {
                std::uint32_t b[4];
                loadTransposed(b, kShared + placeOf(16 * step + lane % 16, 2 * n + lane / 16));
                const std::uint32_t a[4] = {features[4 * step], features[4 * step + 1],
                                            features[4 * step + 2], features[4 * step + 3]};
                multiply<__nv_bfloat16>(linear, a, b[0], b[1]);
                multiply<__nv_bfloat16>(linear + 4, a, b[2], b[3]);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int row = 32 * warp + 16 * m + lane / 4 + i % 2 * 8;
                asm volatile(
                    "st.shared.b32 [%0], %1;" ::"r"(qShared + placeOf(row, 2 * n + i / 2) + lane % 4 * 4),
                    "r"(packedPair<__nv_bfloat16>(linear[2 * i], linear[2 * i + 1]))
                    : "memory");
            }
        }
        __syncwarp();
    }

    /// D rows of a matrix to where keys were.
    __device__ void loadMatrix(const __nv_bfloat16* matrix) const {
        __syncthreads();  // what lies there was read
        HeadRows<C>(matrix, 0, C::kHeadDim).template copy<C::kHeadDim>(kShared, 0, C::kHeadDim, C::kHeadDim);
        ampere::commitCopies();
        ampere::waitCopies<0>();
        __syncthreads();
    }

    /// Outputs, normalised by now, += the linear branch through the projection.
    __device__ void addLinear(float (&outputs)[2][kOutputs], std::int64_t keyHead) const {
        using namespace ampere;
        const __nv_bfloat16* matrices = call.matrices + keyHead * 2 * C::kHeadDim * C::kHeadDim;
        loadMatrix(matrices);
#pragma unroll 1
        for (int m = 0; m < 2; ++m) replaceQueries(m, call.featureSums + keyHead * C::kHeadDim);
        loadMatrix(matrices + C::kHeadDim * C::kHeadDim);
#pragma unroll
        for (int step = 0; step < C::kHeadDim / 16; ++step) {
            std::uint32_t a[2][4];
#pragma unroll
            for (int m = 0; m < 2; ++m) loadMatrices(a[m], queryPlace(m, 2 * step));
#pragma unroll
            for (int n = 0; n < C::kHeadDim / 16; ++n) {
                std::uint32_t b[4];
                loadTransposed(b, kShared + placeOf(16 * step + lane % 16, 2 * n + lane / 16));
#pragma unroll
                for (int m = 0; m < 2; ++m) {
                    multiply<__nv_bfloat16>(&outputs[m][8 * n], a[m], b[0], b[1]);
                    multiply<__nv_bfloat16>(&outputs[m][8 * n + 4], a[m], b[2], b[3]);
                }
            }
        }
    }

    /// Divides by the sums of weights and adds the projection's bias.
    __device__ void normalise(float (&outputs)[kOutputs], OnlineSoftmax& softmax) const {
        const float inverse[2] = {softmax.finish(0), softmax.finish(1)};
#pragma unroll
        for (int j = 0; j < C::kHeadDim / 8; ++j) {
            const float2 bias = call.bias != nullptr && 8 * j < call.tiles.shape.headDim
                                    ? __ldg(reinterpret_cast<const float2*>(call.bias + 8 * j) + lane % 4)
                                    : float2{};
#pragma unroll
            for (int i = 4 * j; i < 4 * j + 4; ++i)
                outputs[i] = fmaf(outputs[i], inverse[i / 2 % 2], i % 2 == 0 ? bias.x : bias.y);
        }
    }

    __device__ void finishTile(float (&outputs)[2][kOutputs], OnlineSoftmax (&softmax)[2], int row, int head,
                               int batch) const {
        const AttentionShape& shape = call.tiles.shape;
        if constexpr (C::kBranch == Branch::Linear) {
            normalise(outputs[0], softmax[0]);
            normalise(outputs[1], softmax[1]);
            addLinear(outputs, std::int64_t{batch} * (shape.queryHeads / shape.queryHeadsPerKeyHead) +
                                   head / shape.queryHeadsPerKeyHead);
            struct Normalised {
                __device__ static float finish(int /*row*/) { return 1.0F; }
                __device__ static float logSumExp(int /*row*/) { return 0.0F; }
            } normalised;
#pragma unroll
            for (int m = 0; m < 2; ++m)
                storeRows<Element, C::kHeadDim>(outputs[m], normalised, shape, row + 16 * m, lane, head,
                                                batch);
        } else {
#pragma unroll
            for (int m = 0; m < 2; ++m)
                storeRows<Element, C::kHeadDim>(outputs[m], softmax[m], shape, row + 16 * m, lane, head,
                                                batch, call.places);
        }
    }

    __device__ void attend() const {
        using namespace ampere;
        const Fav2Call& tiles = call.tiles;
        const AttentionShape& shape = tiles.shape;
        const int index = static_cast<int>(blockIdx.x) % tiles.queryTiles;
        const int head = static_cast<int>(blockIdx.x) / tiles.queryTiles % shape.queryHeads;
        const int batch = static_cast<int>(blockIdx.x) / tiles.queryTiles / shape.queryHeads;
        const int keyHead = head / shape.queryHeadsPerKeyHead;
        const int firstQuery = index * C::kQueries, row = firstQuery + 32 * warp + lane / 4;
        const std::int32_t* chosen = call.kept.blocksOf(static_cast<int>(blockIdx.x));
        const int count = call.kept.countOf(static_cast<int>(blockIdx.x));

        float outputs[2][kOutputs];
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (float& value : outputs[m]) value = 0;
        OnlineSoftmax softmax[2];
        const HeadRows<C> q(tiles.q, batch * tiles.qStrides.batch + head * tiles.qStrides.head,
                            tiles.qStrides.token);
        const HeadRows<C> k(tiles.k, batch * tiles.kStrides.batch + keyHead * tiles.kStrides.head,
                            tiles.kStrides.token);
        const HeadRows<C> v(tiles.v, batch * tiles.vStrides.batch + keyHead * tiles.vStrides.head,
                            tiles.vStrides.token);
        q.template copy<C::kQueries>(qShared, firstQuery, shape.queries, shape.headDim);
        int firstKey = __ldg(chosen) * C::kKeys;
        k.template copy<C::kKeys>(kShared, firstKey, shape.keys, shape.headDim);
        commitCopies();
        for (int n = 0; n < count; ++n) {
            const int nextKey = n + 1 < count ? __ldg(chosen + n + 1) * C::kKeys : 0;
            waitCopies<0>();
            __syncthreads();  // this block of keys is there, the values of the one before were read
            v.template copy<C::kKeys>(vShared, firstKey, shape.keys, shape.headDim);
            commitCopies();
            if (n + 1 < count)
                k.template copy<C::kKeys>(kShared + (n + 1) % 2 * C::kKeyBytes, nextKey, shape.keys,
                                          shape.headDim);
            commitCopies();
#pragma unroll 1
            for (int part = 0; part < C::kKeys / C::kPart; ++part) {
                const std::uint32_t partBytes = part * C::kPart * C::kRowBytes;
                const int partKey = firstKey + part * C::kPart;
                float scores[2][kScores];
                this->multiplyQueries(scores, kShared + n % 2 * C::kKeyBytes + partBytes);
                if (partKey + C::kPart > shape.keys)
#pragma unroll
                    for (int m = 0; m < 2; ++m)
                        biasAndHide(scores[m], shape, partKey, row + 16 * m, lane, true);
                this->rise(outputs, scores, softmax, shape.scale);
                if (part == 0) {
                    waitCopies<1>();
                    __syncthreads();  // this block of values is there
                }
                this->multiplyValues(outputs, scores, softmax, shape.scale, vShared + partBytes);
            }
            firstKey = nextKey;
        }
        finishTile(outputs, softmax, row, head, batch);
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBlocks)
    slaMmaKernel(const __grid_constant__ SlaMmaCall call) {
    afterPrevious();
    extern __shared__ __align__(128) std::uint8_t raw[];
    const std::uint32_t queries = ampere::sharedAddress(raw);
    const std::uint32_t keys = queries + C::kQueries * C::kRowBytes;
    const SlaMmaBlock<C> block{{call.tiles, queries, keys, keys + 2 * C::kKeyBytes,
                                static_cast<int>(threadIdx.x) / 32, static_cast<int>(threadIdx.x) % 32},
                               call};
    block.attend();
}

}  // namespace reelgrid::kernels::cuda::device
