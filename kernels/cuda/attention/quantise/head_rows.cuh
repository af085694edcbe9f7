#pragma once

// The rows (tokens) of Q, K or V as the quantising kernels read them: sixteen columns at a time, as fp32.

#include <cstdint>

#include "kernels/attention/problem.h"
#include "kernels/cuda/vectors.cuh"

namespace reelgrid::kernels::cuda::device {

struct RowSource {
    const void* data;
    Strides strides;
    int tokens, heads, headDim;
};

inline RowSource queryRows(const AttentionProblem& p) {
    return {p.q, p.qStrides, static_cast<int>(p.queries), static_cast<int>(p.queryHeads),
            static_cast<int>(p.headDim)};
}
inline RowSource keyRows(const AttentionProblem& p) {
    return {p.k, p.kStrides, static_cast<int>(p.keys), static_cast<int>(p.keyHeads),
            static_cast<int>(p.headDim)};
}
inline RowSource valueRows(const AttentionProblem& p) {
    return {p.v, p.vStrides, static_cast<int>(p.keys), static_cast<int>(p.keyHeads),
            static_cast<int>(p.headDim)};
}

constexpr int kChunk = 16;  ///< columns that a thread handles: 16 bytes once quantised

/// Sixteen columns of a row as they came; zeros beyond the tensor.
struct RowChunk {
    uint4 halves[2];

    /// `head` counts over all batches.
    template <class Element>
    __device__ static RowChunk load(const RowSource& from, std::int64_t head, std::int64_t token,
                                    int column) {
        RowChunk chunk{};
        if (token >= from.tokens) return chunk;
        const auto* row = static_cast<const Element*>(from.data) + head / from.heads * from.strides.batch +
                          head % from.heads * from.strides.head + token * from.strides.token;
#pragma unroll
        for (int half = 0; half < 2; ++half)  // head dims are multiples of 8
            if (column + 8 * half < from.headDim)
                chunk.halves[half] = __ldg(reinterpret_cast<const uint4*>(row + column + 8 * half));
        return chunk;
    }

    template <class Element>
    __device__ void widen(float (&values)[kChunk]) const {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const auto pack = asPack<Element>(halves[half]);
#pragma unroll
            for (int i = 0; i < 8; ++i) values[8 * half + i] = toFloat(pack.values[i]);
        }
    }
};

}  // namespace reelgrid::kernels::cuda::device
