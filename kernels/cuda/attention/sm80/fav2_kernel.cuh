#pragma once

// FlashAttention-2 for every GPU since Ampere: a block holds 128 queries, each of its four warps 32 of them.
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

template <class Element_, int kHeadDim_>
struct Fav2Config {
    using Element = Element_;
    static constexpr int kHeadDim = kHeadDim_, kKeys = 64;
    /// Keys whose scores are in registers at a time: fewer leave room to load operands ahead.
    static constexpr int kPart = kHeadDim == 128 ? 32 : 64;
    static constexpr int kQueries = 128, kThreads = 128;
    static constexpr int kBlocks = 2;  ///< of a multiprocessor
    static constexpr int kRowBytes = 2 * kHeadDim;
    static constexpr int kKeyBytes = kKeys * kRowBytes;
    static constexpr int kSharedBytes =
        kQueries * kRowBytes + 3 * kKeyBytes;  ///< Q, two tiles of K, one of V
};

/// The rows of one head on their way into shared memory: every thread copies one column of 16 bytes.
template <class C>
struct HeadRows {
    static constexpr int kColumns = C::kRowBytes / 16;
    static constexpr int kRowsATurn = C::kThreads / kColumns;

    const char* head;
    std::int64_t rowBytes;
    std::int64_t offset;  ///< of this thread's 16 bytes in a turn's rows

    __device__ HeadRows(const void* data, std::int64_t start, std::int64_t stride)
        : head(static_cast<const char*>(data) + 2 * start),
          rowBytes(2 * stride),
          offset(row() * rowBytes + 16 * column()) {}

    __device__ static int row() { return static_cast<int>(threadIdx.x) / kColumns; }
    __device__ static int column() { return static_cast<int>(threadIdx.x) % kColumns; }
    /// Where 16 bytes of a row lie: spread over the banks for loads of eight rows.
    __device__ static std::uint32_t placeOf(int row, int column) {
        return row * C::kRowBytes + ((column ^ (row & 7)) << 4);
    }

    /// Copies the rows from `first` on; zeros for those from `end` on and beyond the head dim.
    template <int kRows>
    __device__ void copy(std::uint32_t tile, int first, int end, int headDim) const {
        const std::uint32_t to = tile + placeOf(row(), column());
        const char* from = head + first * rowBytes;
        const int left = 8 * column() < headDim ? end - first - row() : 0;
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
};

template <class C>
struct Fav2Block {
    using Element = typename C::Element;
    static constexpr int kScores = C::kPart / 2;
    static constexpr int kOutputs = C::kHeadDim / 2;

    const Fav2Call& call;
    const std::uint32_t qShared, kShared, vShared;
    const int warp, lane;

    __device__ static std::uint32_t placeOf(int row, int column) { return HeadRows<C>::placeOf(row, column); }

    __device__ void multiplyQueries(float (&scores)[2][kScores], std::uint32_t keys) const {
        using namespace ampere;
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (float& score : scores[m]) score = 0;
#pragma unroll
        for (int step = 0; step < C::kHeadDim / 16; ++step) {
            std::uint32_t q[2][4];
#pragma unroll
            for (int m = 0; m < 2; ++m)
                loadMatrices(q[m], qShared + placeOf(32 * warp + 16 * m + lane % 16, 2 * step + lane / 16));
#pragma unroll
            for (int n = 0; n < C::kPart / 16; ++n) {
                std::uint32_t k[4];
                loadMatrices(k, keys + placeOf(16 * n + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
#pragma unroll
                for (int m = 0; m < 2; ++m) {
                    multiply<Element>(&scores[m][8 * n], q[m], k[0], k[1]);
                    multiply<Element>(&scores[m][8 * n + 4], q[m], k[2], k[3]);
                }
            }
        }
    }

    /// A base that suits the scores, when they ask for one; outputs follow.
    __device__ static void rise(float (&outputs)[2][kOutputs], const float (&scores)[2][kScores],
                                OnlineSoftmax (&softmax)[2], float scale) {
        float here[2][2];
        const bool high[2] = {softmax[0].isHigh(scores[0], scale, here[0]),
                              softmax[1].isHigh(scores[1], scale, here[1])};
        if (!__any_sync(0xffffffffU, high[0] || high[1])) return;
#pragma unroll
        for (int m = 0; m < 2; ++m) {
            float factor[2];
            softmax[m].rise(here[m], factor);
#pragma unroll
            for (int i = 0; i < kOutputs; ++i) outputs[m][i] *= factor[i / 2 % 2];
        }
    }

    /// Scores become weights sixteen keys at a time, so that powers and products overlap.
    template <int kStep = 0>
    __device__ void multiplyValues(float (&outputs)[2][kOutputs], float (&scores)[2][kScores],
                                   OnlineSoftmax (&softmax)[2], float scale, std::uint32_t values) const {
        using namespace ampere;
        if constexpr (kStep < C::kPart / 16) {
            std::uint32_t p[2][4];
#pragma unroll
            for (int m = 0; m < 2; ++m) {
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
                for (int m = 0; m < 2; ++m) {
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

        float outputs[2][kOutputs];
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (float& value : outputs[m]) value = 0;
        OnlineSoftmax softmax[2];
        const int row = firstQuery + 32 * warp + lane / 4;
        if (keyTiles > 0) {
            const float scale = shape.remainingScale();
            const int seenByAll = shape.seenBy(firstQuery + 32 * warp);  // by every query of the warp
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
                    float scores[2][kScores];
                    multiplyQueries(scores, kShared + n % 2 * C::kKeyBytes + partBytes);
                    const bool hides = firstKey + C::kPart > seenByAll;
                    if (hides || shape.keyBias != nullptr)
#pragma unroll
                        for (int m = 0; m < 2; ++m)
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
        for (int m = 0; m < 2; ++m)
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
