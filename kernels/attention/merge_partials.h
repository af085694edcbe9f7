#pragma once

// Shape legend: B batch, H query heads, Nq query tokens, D head dim.

#include <cstdint>

#include "kernels/attention/problem.h"

namespace reelgrid::kernels {

// Waits for attention over several devices: in a ring, each device attends to the keys that pass by and
// merges what it finds. Nothing renders through it before a transformer can run on a range of its tokens;
// until then the tests hold it against every backend.

/// Attention over some of the keys, as a backend leaves it. It may cover a range of the queries only: those
/// outside it see none of these keys.
struct AttentionPart {
    const void* out = nullptr;   ///< [B, H, queries, D]
    const float* lse = nullptr;  ///< contiguous [B, H, queries], as AttentionProblem::lse
    DataType type = DataType::Float32;
    Strides strides;
    std::int64_t firstQuery = 0;  ///< the merged query that is this part's first
    std::int64_t queries = 0;
};

/// Attention over all the keys merged so far, kept in fp32 until the last part is in.
struct MergedAttention {
    float* out = nullptr;  ///< [B, H, Nq, D]
    float* lse = nullptr;  ///< contiguous [B, H, Nq]
    Strides strides;
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t queries = 0;
    std::int64_t headDim = 0;
    int threads = 0;  ///< 0: what OpenMP is set to
};

/// No key seen yet: out is 0, LSE −inf.
void startMerge(const MergedAttention& merged);

/// Adds the keys of `part`, which must be in none of the parts before: lse' = ln(e^lse + e^part.lse) and
/// out' = e^(lse − lse') out + e^(part.lse − lse') part.out (Ring Attention, arXiv 2310.01889;
/// FlashAttention, arXiv 2205.14135, §3.1). Exact up to fp32 rounding for any finite LSE, in any order of the
/// parts. A row of LSE −inf adds nothing, whatever its values; a NaN stays in its row.
void mergePart(const MergedAttention& merged, const AttentionPart& part);

/// The merged rows rounded to `type`, to nearest even.
void roundMerged(const MergedAttention& merged, DataType type, void* out, const Strides& strides);

}  // namespace reelgrid::kernels
