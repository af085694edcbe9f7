#pragma once

// sla's pass over keys and values: the mean of every block of keys and, for the linear branch, φ(k)ᵀ v and
// Σ φ(k) by tensor cores, with φ the softmax over the head dim. A block of threads walks one run of a head's
// keys; runs are added by slaMatrices (sla_matrices.cuh), in their order.

#include "kernels/cuda/attention/mma.cuh"
#include "kernels/cuda/attention/online_softmax.cuh"
#include "kernels/cuda/attention/sla/sla_call.cuh"

namespace reelgrid::kernels::cuda::device {

struct SlaKeysCall {
    const void *k, *v;
    Strides kStrides, vStrides;
    int keys, headDim, keyHeads;
    int keyBlocks, runs, runBlocks;
    float* blockMeans;   ///< [batch][key heads][key blocks][D]
    float* keySums;      ///< [batch][key heads][runs][D]
    float* featureSums;  ///< the same of φ(k)
    float* products;     ///< [batch][key heads][runs][D of k][D of v]
};

template <class Element_, int kHeadDim_, Branch kBranch_>
struct SlaKeysConfig {
    using Element = Element_;
    static constexpr int kHeadDim = kHeadDim_;
    static constexpr Branch kBranch = kBranch_;
    static constexpr int kThreads = 256, kWarps = kThreads / 32;
    static constexpr int kRowBytes = 2 * kHeadDim, kTileBytes = kSparseKeys * kRowBytes;
    static constexpr int kColumns = kHeadDim / 8;  ///< of 16 bytes
    static constexpr int kRowsATurn = kThreads / kColumns, kTurns = kSparseKeys / kRowsATurn;
    static constexpr int kFeatureGroups = kHeadDim / 16;  ///< a warp sums 16 rows of φ(k)ᵀ v …
    static constexpr int kValues = kHeadDim * kFeatureGroups / kWarps;  ///< … by so many columns
    static constexpr int kSumBytes = kWarps * kHeadDim * 4;
    static constexpr int kSharedBytes = 2 * kSumBytes + (kBranch == Branch::Linear ? 4 * kTileBytes : 0);
};

template <class C>
struct SlaKeysRun {
    using Element = typename C::Element;

    const SlaKeysCall& call;
    std::uint8_t* const shared;  ///< two of: sums by warp; then two of: features; values
    const int column = static_cast<int>(threadIdx.x) % C::kColumns;
    const int row = static_cast<int>(threadIdx.x) / C::kColumns;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const bool inside = 8 * column < call.headDim;

    __device__ float* sums(int block) const {
        return reinterpret_cast<float*>(shared + block % 2 * C::kSumBytes);
    }
    __device__ std::uint32_t features(int block) const {
        return ampere::sharedAddress(shared) + 2 * C::kSumBytes + block % 2 * C::kTileBytes;
    }
    __device__ std::uint32_t values(int block) const { return features(block) + 2 * C::kTileBytes; }
    /// Where 16 bytes of a row lie: spread over the banks for loads of eight rows.
    __device__ static std::uint32_t placeOf(int row, int column) {
        return row * C::kRowBytes + ((column ^ (row & 7)) << 4);
    }

    __device__ void loadKeys(uint4 (&keys)[C::kTurns], const Element* head, int block) const {
#pragma unroll
        for (int turn = 0; turn < C::kTurns; ++turn) {
            const int key = block * kSparseKeys + turn * C::kRowsATurn + row;
            keys[turn] =
                inside && key < call.keys
                    ? __ldg(reinterpret_cast<const uint4*>(head + key * call.kStrides.token) + column)
                    : uint4{};
        }
    }
    __device__ void copyValues(const Element* head, int block) const {
#pragma unroll
        for (int turn = 0; turn < C::kTurns; ++turn) {
            const int tileRow = turn * C::kRowsATurn + row, key = block * kSparseKeys + tileRow;
            const bool there = inside && key < call.keys;
            ampere::copy16(values(block) + placeOf(tileRow, column),
                           there ? head + key * call.vStrides.token + 8 * column : head, there ? 16 : 0);
        }
        ampere::commitCopies();
    }

    /// Over the threads of a row of K.
    template <class Combine>
    __device__ static float overRow(float x, Combine combine) {
#pragma unroll
        for (int distance = C::kColumns / 2; distance > 0; distance /= 2)
            x = combine(x, __shfl_xor_sync(0xffffffffU, x, distance));
        return x;
    }
    /// Over the rows of a warp.
    __device__ static void overRows(float (&x)[8]) {
#pragma unroll
        for (int distance = 16; distance >= C::kColumns; distance /= 2)
#pragma unroll
            for (float& one : x) one += __shfl_xor_sync(0xffffffffU, one, distance);
    }
    /// A warp's sums of this thread's columns into its row of `to`.
    __device__ void storeSums(float (&x)[8], float* to) const {
        overRows(x);
        if (lane >= C::kColumns) return;
        auto* place = reinterpret_cast<float4*>(to + warp * C::kHeadDim + 8 * column);
        place[0] = {x[0], x[1], x[2], x[3]};
        place[1] = {x[4], x[5], x[6], x[7]};
    }
    __device__ float sumOverWarps(const float* from) const {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < C::kWarps; ++i) sum += from[i * C::kHeadDim + static_cast<int>(threadIdx.x)];
        return sum;
    }

    /// φ of a row's eight values of this thread; those of a row that isn't there are zero.
    __device__ void takeFeatures(float (&x)[8], bool there) const {
        float most = kMinusInfinity;
#pragma unroll
        for (const float one : x) most = fmaxf(most, one);
        most = overRow(inside ? most : kMinusInfinity, [](float a, float b) { return fmaxf(a, b); });
        float sum = 0;
#pragma unroll
        for (float& one : x) {
            one = inside ? powerOfTwo((one - most) * kLog2E) : 0.0F;
            sum += one;
        }
        sum = overRow(sum, [](float a, float b) { return a + b; });
        const float inverse = there ? 1.0F / sum : 0.0F;
#pragma unroll
        for (float& one : x) one *= inverse;
    }

    /// products += φ(k)ᵀ v over the keys of a block.
    __device__ void multiplyBlock(float (&products)[C::kValues / 2], int block) const {
        using namespace ampere;
        const int group = warp % C::kFeatureGroups, firstValue = warp / C::kFeatureGroups * C::kValues;
#pragma unroll
        for (int step = 0; step < kSparseKeys / 16; ++step) {
            std::uint32_t f[4];
            loadTransposed(
                f, features(block) + placeOf(16 * step + lane / 16 * 8 + lane % 8, 2 * group + lane / 8 % 2));
#pragma unroll
            for (int n = 0; n < C::kValues / 16; ++n) {
                std::uint32_t v[4];
                loadTransposed(
                    v, values(block) + placeOf(16 * step + lane % 16, firstValue / 8 + 2 * n + lane / 16));
                multiply<Element>(&products[8 * n], f, v[0], v[1]);
                multiply<Element>(&products[8 * n + 4], f, v[2], v[3]);
            }
        }
    }

    __device__ void walk() const {
        const int head = static_cast<int>(blockIdx.y), run = static_cast<int>(blockIdx.x);
        const auto start = [&](const void* data, const Strides& strides) {
            return static_cast<const Element*>(data) + head / call.keyHeads * strides.batch +
                   head % call.keyHeads * strides.head;
        };
        const Element* const kHead = start(call.k, call.kStrides);
        const Element* const vHead = start(call.v, call.vStrides);
        const int first = run * call.runBlocks, end = min(first + call.runBlocks, call.keyBlocks);
        const bool addsUp = threadIdx.x < C::kHeadDim;  // over warps
        float products[C::kValues / 2] = {};
        float featureSums[8] = {};
        float keySum = 0;
        uint4 keys[C::kTurns];
        if (first < end) {
            loadKeys(keys, kHead, first);
            if constexpr (C::kBranch == Branch::Linear) copyValues(vHead, first);
        }
#pragma unroll 1
        for (int block = first; block < end; ++block) {
            float blockSums[8] = {};
#pragma unroll
            for (int turn = 0; turn < C::kTurns; ++turn) {
                float x[8];
                unpack<Element>(keys[turn], x);
#pragma unroll
                for (int i = 0; i < 8; ++i) blockSums[i] += x[i];
                if constexpr (C::kBranch == Branch::Linear) {
                    const int tileRow = turn * C::kRowsATurn + row;
                    takeFeatures(x, block * kSparseKeys + tileRow < call.keys);
#pragma unroll
                    for (int i = 0; i < 8; ++i) featureSums[i] += x[i];
                    const uint4 packed = {packedPair<Element>(x[0], x[1]), packedPair<Element>(x[2], x[3]),
                                          packedPair<Element>(x[4], x[5]), packedPair<Element>(x[6], x[7])};
                    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(features(block) +
                                                                                  placeOf(tileRow, column)),
                                 "r"(packed.x), "r"(packed.y), "r"(packed.z), "r"(packed.w)
                                 : "memory");
                }
            }
            if (block + 1 < end) loadKeys(keys, kHead, block + 1);
            storeSums(blockSums, sums(block));
            if constexpr (C::kBranch == Branch::Linear) ampere::waitCopies<0>();
            __syncthreads();  // this block's sums, features and values are there, the last one's were read
            if constexpr (C::kBranch == Branch::Linear)
                if (block + 1 < end) copyValues(vHead, block + 1);
            if (addsUp) {
                const float sum = sumOverWarps(sums(block));
                keySum += sum;
                call.blockMeans[(std::int64_t{head} * call.keyBlocks + block) * C::kHeadDim + threadIdx.x] =
                    sum / static_cast<float>(min(kSparseKeys, call.keys - block * kSparseKeys));
            }
            if constexpr (C::kBranch == Branch::Linear) multiplyBlock(products, block);
        }
        const std::int64_t place = std::int64_t{head} * call.runs + run;
        if (addsUp) call.keySums[place * C::kHeadDim + threadIdx.x] = keySum;
        if constexpr (C::kBranch == Branch::Linear) {
            __syncthreads();
            storeSums(featureSums, sums(0));
            __syncthreads();
            if (addsUp) call.featureSums[place * C::kHeadDim + threadIdx.x] = sumOverWarps(sums(0));
            float* to = call.products + place * C::kHeadDim * C::kHeadDim +
                        (16 * (warp % C::kFeatureGroups) + lane / 4) * C::kHeadDim +
                        warp / C::kFeatureGroups * C::kValues + lane % 4 * 2;
#pragma unroll
            for (int i = 0; i < C::kValues / 2; i += 2)
                *reinterpret_cast<float2*>(to + i / 4 * 8 + i / 2 % 2 * 8 * C::kHeadDim) = {products[i],
                                                                                            products[i + 1]};
        }
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads, 2) slaKeys(const __grid_constant__ SlaKeysCall call) {
    afterPrevious();
    extern __shared__ __align__(128) std::uint8_t raw[];
    SlaKeysRun<C>{call, raw}.walk();
}

}  // namespace reelgrid::kernels::cuda::device
