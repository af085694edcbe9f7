#pragma once

// What sagev1 prepares for either of its kernels: queries and keys as int8, in the call's workspace.

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/attention/quantise/int8_scores.cuh"
#include "kernels/cuda/attention/quantise/quantise_rows.cuh"
#include "kernels/cuda/attention/workspace_parts.h"

namespace reelgrid::kernels::cuda::device {

/// The quantised operands in the call's workspace.
struct Sagev1Parts {
    int headDim;  ///< padded
    QuantisedRows q, k;
    float *meanSlabs = nullptr, *means = nullptr, *shifts = nullptr;
    std::int64_t bytes;

    /// `queries`, `keys`: what a head's rows are padded to multiples of.
    Sagev1Parts(const AttentionProblem& p, int queries, int keys) : headDim(p.headDim <= 64 ? 64 : 128) {
        WorkspaceParts parts(p.workspace);
        const auto rows = [&](std::int64_t heads, std::int64_t tokens, int tile, int block) {
            const int padded = tilesOf(tokens, tile) * tile;
            return QuantisedRows{parts.take<std::int8_t>(heads * padded * headDim), padded,
                                 parts.take<float>(heads * tilesOf(padded, block))};
        };
        const std::int64_t keyHeads = p.batch * p.keyHeads;
        q = rows(p.batch * p.queryHeads, p.queries, queries, kSageQueries);
        k = rows(keyHeads, p.keys, keys, kSageKeys);
        if (p.keySmoothing == KeySmoothing::Mean) {
            meanSlabs = parts.take<float>(keyHeads * slabsOf(p.keys) * headDim);
            means = parts.take<float>(keyHeads * headDim);
            if (p.lse != nullptr) shifts = parts.take<float>(p.batch * p.queryHeads * p.queries);
        }
        bytes = parts.bytes();
    }

    [[nodiscard]] Int8Operands operands() const {
        const auto tensor = [&](const QuantisedRows& rows, int block) {
            return Int8Tensor{rows.bytes, std::int64_t{rows.rows} * headDim, rows.scales,
                              tilesOf(rows.rows, block)};
        };
        return {tensor(q, kSageQueries), tensor(k, kSageKeys), shifts};
    }
};

/// Queues the quantising of queries and keys, and notes that the problem is prepared.
void quantise(const AttentionProblem& problem, const Sagev1Parts& parts);

inline AttentionShape sagev1Shape(const AttentionProblem& p) {
    AttentionShape shape = shapeOf(p);
    shape.scale = 1;
    return shape;
}

}  // namespace reelgrid::kernels::cuda::device
