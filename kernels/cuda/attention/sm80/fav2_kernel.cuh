#pragma once

// FlashAttention-2 for every GPU since Ampere, and for Turing in fp16: a block holds 128 queries, each of its
// four warps 32 of them; where the head dim is above 128, whose outputs fill the registers, half as many.
// Keys are walked from the first tile to the last.

#include "kernels/cuda/attention/mma.cuh"
#include "kernels/cuda/attention/score_rows.cuh"

namespace reelgrid::kernels::cuda::device {

struct Fav2Call {
    AttentionShape shape;
    const void *q, *k, *v;
    Strides qStrides, kStrides, vStrides;
    int queryTiles;  ///< of a head
};

/// kMostShared: bytes of shared memory that a block may have.
template <class Element_, int kHeadDim_, int kMostShared = 99 * 1024>
struct Fav2Config {
    using Element = Element_;
    static constexpr int kHeadDim = kHeadDim_;
    static constexpr int kThreads = 128;
    static constexpr int kMatrices = kHeadDim > 128 ? 1 : 2;  ///< of 16 queries, a warp
    static constexpr int kRowsOfWarp = 16 * kMatrices, kQueries = 4 * kRowsOfWarp;
    static constexpr int kBlocks = 2;  ///< of a multiprocessor
    static constexpr int kRowBytes = 2 * kHeadDim;
    /// Q, two tiles of K, one of V.
    static constexpr int sharedBytes(int keys) { return (kQueries + 3 * keys) * kRowBytes; }
    /// Two blocks' shared memory fits a multiprocessor, one block's the 99 KB of compute capability 8.6
    /// and 8.9 or the 64 of 7.5.
    static constexpr int kKeys = kHeadDim > 192 || sharedBytes(64) > kMostShared ? 32 : 64;
    /// Keys whose scores are in registers at a time: fewer leave room to load operands ahead.
    static constexpr int kPart = kHeadDim >= 96 ? 32 : 64;
    static constexpr int kKeyBytes = kKeys * kRowBytes;
    static constexpr int kSharedBytes = sharedBytes(kKeys);
    static_assert(kSharedBytes <= kMostShared);
};

/// The rows of one head on their way into shared memory: every thread copies one column of 16 bytes, or every
/// kColumnsATurn-th.
template <class C>
struct HeadRows {
    static constexpr int kColumns = C::kRowBytes / 16;
    static constexpr int kColumnsATurn = kColumns % 8 == 0 && kColumns <= 16 ? kColumns
                                         : kColumns % 4 == 0                 ? 4
                                                                             : 2;
    static constexpr int kRowsATurn = C::kThreads / kColumnsATurn;
    /// Columns that change places, by as many bits of the row: rows of 128 bytes have eight, other lengths
    /// the largest power of two that divides theirs.
    static constexpr int kPlaces = kColumns % 8 == 0 ? 8 : kColumns % 4 == 0 ? 4 : 2;
    static constexpr int kRowBit = kPlaces == 8 ? 0 : kPlaces == 4 ? 1 : 2;

    const char* head;
    std::int64_t rowBytes;
    std::int64_t offset;  ///< of this thread's 16 bytes in a turn's rows

    __device__ HeadRows(const void* data, std::int64_t start, std::int64_t stride)
        : head(static_cast<const char*>(data) + 2 * start),
          rowBytes(2 * stride),
          offset(row() * rowBytes + 16 * column()) {}

    __device__ static int row() { return static_cast<int>(threadIdx.x) / kColumnsATurn; }
    __device__ static int column() { return static_cast<int>(threadIdx.x) % kColumnsATurn; }
    /// Where 16 bytes of a row lie: spread over the banks for loads of eight rows.
    __device__ static std::uint32_t placeOf(int row, int column) {
        return row * C::kRowBytes + ((column ^ (row >> kRowBit & (kPlaces - 1))) << 4);
    }

    /// Copies the rows from `first` on; zeros for those from `end` on and beyond the head dim.
    template <int kRows>
    __device__ void copy(std::uint32_t tile, int first, int end, int headDim) const {
        static_assert(kRows % kRowsATurn == 0 && kColumns % kColumnsATurn == 0);
#pragma unroll
        for (int part = 0; part < kColumns / kColumnsATurn; ++part) {
            const int here = column() + part * kColumnsATurn;
            const std::uint32_t to = tile + placeOf(row(), here);
            const char* from = head + first * rowBytes + part * kColumnsATurn * 16;
            const int left = 8 * here < headDim ? end - first - row() : 0;
            if (first + kRows <= end && headDim == C::kHeadDim) {
#pragma unroll
                for (int i = 0; i < kRows / kRowsATurn; ++i, from += kRowsATurn * rowBytes)
                    ampere::copy16(to + i * kRowsATurn * C::kRowBytes, from + offset);
            } else {
#pragma unroll 1
                for (int i = 0; i < kRows / kRowsATurn; ++i, from += kRowsATurn * rowBytes) {
                    const bool there = i * kRowsATurn < left;
                    ampere::copy16(to + i * kRowsATurn * C::kRowBytes, there ? from + offset : head,
                                   there ? 16 : 0);
                }
            }
        }
    }
};

template <class C>
struct Fav2Block {
    using Element = typename C::Element;
    static constexpr int kScores = C::kPart / 2;
    static constexpr int kOutputs = C::kHeadDim / 2;
    static constexpr int kMatrices = C::kMatrices, kRowsOfWarp = C::kRowsOfWarp;

    const Fav2Call& call;
    const std::uint32_t qShared, kShared, vShared;
    const int warp, lane;

    __device__ static std::uint32_t placeOf(int row, int column) { return HeadRows<C>::placeOf(row, column); }

    __device__ void multiplyQueries(float (&scores)[kMatrices][kScores], std::uint32_t keys) const {
        using namespace ampere;
#pragma unroll
        for (int m = 0; m < kMatrices; ++m)
#pragma unroll
            for (float& score : scores[m]) score = 0;
#pragma unroll
        for (int step = 0; step < C::kHeadDim / 16; ++step) {
            std::uint32_t q[kMatrices][4];
#pragma unroll
            for (int m = 0; m < kMatrices; ++m)
                loadMatrices(
                    q[m], qShared + placeOf(kRowsOfWarp * warp + 16 * m + lane % 16, 2 * step + lane / 16));
#pragma unroll
            for (int n = 0; n < C::kPart / 16; ++n) {
                std::uint32_t k[4];
                loadMatrices(k, keys + placeOf(16 * n + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
#pragma unroll
                for (int m = 0; m < kMatrices; ++m) {
                    multiply<Element>(&scores[m][8 * n], q[m], k[0], k[1]);
                    multiply<Element>(&scores[m][8 * n + 4], q[m], k[2], k[3]);
                }
            }
        }
    }

    /// A base that suits the scores, when they ask for one; outputs follow.
    __device__ static void rise(float (&outputs)[kMatrices][kOutputs],
                                const float (&scores)[kMatrices][kScores],
                                OnlineSoftmax (&softmax)[kMatrices], float scale) {
        float here[kMatrices][2];
        bool high = false;
#pragma unroll
        for (int m = 0; m < kMatrices; ++m) high |= softmax[m].isHigh(scores[m], scale, here[m]);
        if (!__any_sync(0xffffffffU, high)) return;
#pragma unroll
        for (int m = 0; m < kMatrices; ++m) {
            float factor[2];
            softmax[m].rise(here[m], factor);
#pragma unroll
            for (int i = 0; i < kOutputs; ++i) outputs[m][i] *= factor[i / 2 % 2];
        }
    }

    /// Scores become weights sixteen keys at a time, so that powers and products overlap.
    template <int kStep = 0>
    __device__ void multiplyValues(float (&outputs)[kMatrices][kOutputs], float (&scores)[kMatrices][kScores],
                                   OnlineSoftmax (&softmax)[kMatrices], float scale,
                                   std::uint32_t values) const {
        using namespace ampere;
        if constexpr (kStep < C::kPart / 16) {
            std::uint32_t p[kMatrices][4];
#pragma unroll
            for (int m = 0; m < kMatrices; ++m) {
                float added[2];
                softmax[m].template weigh<8 * kStep, 8 * kStep + 8>(scores[m], scale, added);
                softmax[m].add(added);
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    p[m][i] =
                        packedPair<Element>(scores[m][8 * kStep + 2 * i], scores[m][8 * kStep + 2 * i + 1]);
            }
#pragma unroll
            for (int n = 0; n < C::kHeadDim / 16; ++n) {
                std::uint32_t v[4];
                loadTransposed(v, values + placeOf(16 * kStep + lane % 16, 2 * n + lane / 16));
#pragma unroll
                for (int m = 0; m < kMatrices; ++m) {
                    multiply<Element>(&outputs[m][8 * n], p[m], v[0], v[1]);
                    multiply<Element>(&outputs[m][8 * n + 4], p[m], v[2], v[3]);
                }
            }
            multiplyValues<kStep + 1>(outputs, scores, softmax, scale, values);
        }
    }

    __device__ void attend() const {
        using namespace ampere;
        const AttentionShape& shape = call.shape;
        int index = static_cast<int>(blockIdx.x) % call.queryTiles;
        if (shape.mask == Mask::Causal) index = call.queryTiles - 1 - index;  // the longest first
        const int head = static_cast<int>(blockIdx.x) / call.queryTiles % shape.queryHeads;
        const int batch = static_cast<int>(blockIdx.x) / call.queryTiles / shape.queryHeads;
        const int keyHead = head / shape.queryHeadsPerKeyHead;
        const int firstQuery = index * C::kQueries;
        const int last = min(firstQuery + C::kQueries, shape.queries) - 1;
        const int keyTiles = (shape.seenBy(last) + C::kKeys - 1) / C::kKeys;

        float outputs[kMatrices][kOutputs];
#pragma unroll
        for (int m = 0; m < kMatrices; ++m)
#pragma unroll
            for (float& value : outputs[m]) value = 0;
        OnlineSoftmax softmax[kMatrices];
        const int row = firstQuery + kRowsOfWarp * warp + lane / 4;
        if (keyTiles > 0) {
            const float scale = shape.remainingScale();
            const int seenByAll =
                shape.seenBy(firstQuery + kRowsOfWarp * warp);  // by every query of the warp
            const HeadRows<C> q(call.q, batch * call.qStrides.batch + head * call.qStrides.head,
                                call.qStrides.token);
            const HeadRows<C> k(call.k, batch * call.kStrides.batch + keyHead * call.kStrides.head,
                                call.kStrides.token);
            const HeadRows<C> v(call.v, batch * call.vStrides.batch + keyHead * call.vStrides.head,
                                call.vStrides.token);
            q.template copy<C::kQueries>(qShared, firstQuery, shape.queries, shape.headDim);
            k.template copy<C::kKeys>(kShared, 0, shape.keys, shape.headDim);
            commitCopies();
            for (int n = 0; n < keyTiles; ++n) {
                waitCopies<0>();
                __syncthreads();  // this tile of keys is there, the values of the one before were read
                v.template copy<C::kKeys>(vShared, n * C::kKeys, shape.keys, shape.headDim);
                commitCopies();
                if (n + 1 < keyTiles)
                    k.template copy<C::kKeys>(kShared + (n + 1) % 2 * C::kKeyBytes, (n + 1) * C::kKeys,
                                              shape.keys, shape.headDim);
                commitCopies();
#pragma unroll 1
                for (int part = 0; part < C::kKeys / C::kPart; ++part) {
                    const std::uint32_t partBytes = part * C::kPart * C::kRowBytes;
                    const int firstKey = n * C::kKeys + part * C::kPart;
                    float scores[kMatrices][kScores];
                    multiplyQueries(scores, kShared + n % 2 * C::kKeyBytes + partBytes);
                    const bool hides = firstKey + C::kPart > seenByAll;
                    if (hides || shape.keyBias != nullptr)
#pragma unroll
                        for (int m = 0; m < kMatrices; ++m)
                            biasAndHide(scores[m], shape, firstKey, row + 16 * m, lane, hides);
                    rise(outputs, scores, softmax, scale);
                    if (part == 0) {
                        waitCopies<1>();
                        __syncthreads();  // this tile of values is there
                    }
                    multiplyValues(outputs, scores, softmax, scale, vShared + partBytes);
                }
            }
        }
#pragma unroll
        for (int m = 0; m < kMatrices; ++m)
            storeRows<Element, C::kHeadDim>(outputs[m], softmax[m], shape, row + 16 * m, lane, head, batch);
    }
};

template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBlocks) fav2Kernel(const __grid_constant__ Fav2Call call) {
    extern __shared__ __align__(128) std::uint8_t raw[];
    const std::uint32_t queries = ampere::sharedAddress(raw);
    const std::uint32_t keys = queries + C::kQueries * C::kRowBytes;
    const Fav2Block<C> block{call,
                             queries,
                             keys,
                             keys + 2 * C::kKeyBytes,
                             static_cast<int>(threadIdx.x) / 32,
                             static_cast<int>(threadIdx.x) % 32};
    block.attend();
}

}  // namespace reelgrid::kernels::cuda::device
