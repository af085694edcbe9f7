#pragma once

// What every kernel does with the accumulators of 16 rows: thread t of a warp holds rows t / 4 and t / 4 + 8,
// and of every eight columns 2 (t % 4) and the next; values[4j], [4j + 1] of the first row, [4j + 2], [4j +
// 3] of the second.

#include "kernels/attention/problem.h"
#include "kernels/cuda/attention/online_softmax.cuh"

namespace reelgrid::kernels::cuda::device {

/// What kernels are told of a call beyond where Q, K and V lie.
struct AttentionShape {
    int queries, keys, headDim;
    int queryHeads, queryHeadsPerKeyHead;
    float scale;  ///< times log2(e); scores times it are in base 2
    Mask mask;
    const float* keyBias;
    float* lse;
    void* out;
    Strides outStrides;

    /// How many keys a query sees: all before this one.
    __device__ int seenBy(int query) const {
        return mask == Mask::Causal ? max(0, min(keys, query + 1 + keys - queries)) : keys;
    }
    /// What the scores of a tile are multiplied by once biasAndHide() had them.
    __device__ float remainingScale() const { return keyBias != nullptr ? 1.0F : scale; }
};

/// Adds the key bias (then scores are scaled, too) and hides the keys that a row doesn't see, when the tile
/// has such.
template <int kCount>
__device__ void biasAndHide(float (&scores)[kCount], const AttentionShape& shape, int firstKey, int row,
                            int lane, bool hides) {
    if (shape.keyBias != nullptr) {
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            const int key = firstKey + i / 4 * 8 + lane % 4 * 2 + i % 2;
            const float bias = key < shape.keys ? __ldg(shape.keyBias + key) * kLog2E : 0.0F;
            scores[i] = fmaf(scores[i], shape.scale, bias);
        }
    }
    if (!hides) return;
    const int seen[2] = {shape.seenBy(row), shape.seenBy(row + 8)};
#pragma unroll
    for (int i = 0; i < kCount; ++i)
        if (firstKey + i / 4 * 8 + lane % 4 * 2 + i % 2 >= seen[i / 2 % 2]) scores[i] = kMinusInfinity;
}

/// What both rows hold follows a base that rose.
template <int kCount>
__device__ void multiplyRows(float (&values)[kCount], const float (&factor)[2]) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] *= factor[i / 2 % 2];
}

/// Where the output of a query lies: at its own place.
struct OwnPlaces {
    __device__ int operator()(int query) const { return query; }
};

/// Divides by the sums and writes what lies inside the output.
template <class Element, int kHeadDim, int kCount, class Softmax, class Places = OwnPlaces>
__device__ void storeRows(const float (&outputs)[kCount], Softmax& softmax, const AttentionShape& shape,
                          int row, int lane, int head, int batch, Places placeOf = {}) {
    const float inverse[2] = {softmax.finish(0), softmax.finish(1)};
    auto* out =
        static_cast<Element*>(shape.out) + batch * shape.outStrides.batch + head * shape.outStrides.head;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        const int query = row + 8 * r;
        if (query >= shape.queries) continue;
        auto* place = out + placeOf(query) * shape.outStrides.token + lane % 4 * 2;
#pragma unroll
        for (int j = 0; j < kHeadDim / 8; ++j)
            if (8 * j < shape.headDim)
                *reinterpret_cast<std::uint32_t*>(place + 8 * j) = packedPair<Element>(
                    outputs[4 * j + 2 * r] * inverse[r], outputs[4 * j + 2 * r + 1] * inverse[r]);
        if (shape.lse != nullptr && lane % 4 == 0)
            shape.lse[(static_cast<std::int64_t>(batch) * shape.queryHeads + head) * shape.queries + query] =
                softmax.logSumExp(r);
    }
}

}  // namespace reelgrid::kernels::cuda::device
