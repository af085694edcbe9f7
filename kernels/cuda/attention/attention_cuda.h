#pragma once

#include <cstdint>

#include "kernels/attention/method.h"
#include "kernels/attention/plan.h"

namespace reelgrid::kernels::cuda {

/// What the CUDA kernels of attention take at most.
constexpr std::int64_t kMaxHeadDim = 256;
/// The same of methods that quantise or are sparse, but for short sequences.
constexpr std::int64_t kMaxTiledHeadDim = 128;
/// Keys that are taken at once, in registers.
constexpr std::int64_t kMostShortKeys = 64;
/// Of sla and sagesla: a block of threads holds the scores of all blocks of keys.
constexpr std::int64_t kMostSparseKeys = 384'000;
/// Likewise: a grid's second extent.
constexpr std::int64_t kMostSparseHeads = 65'535;

/// Whether the problem is one for the kernels of short sequences: few keys that few queries share (where
/// scales are taken, one block of either), or too few to share. sla has one block of keys then, which it
/// takes; its linear branch isn't there.
inline bool isShort(Method method, const AttentionProblem& p) {
    constexpr std::int64_t kFewQueries = 128, kFewKeys = 32;
    // They find out over their keys what a part of a sequence is told.
    if (p.keys > kMostShortKeys || p.sequence.areGiven()) return false;
    switch (method) {
        case Method::Flash:
        case Method::Flash3:
            break;
        case Method::SageSparseLinear:
        case Method::Sage2:
        case Method::Sparge:
        case Method::SlidingTile:
        case Method::Radial:
            return false;
        case Method::SparseLinear:
            if (p.sparseLinear.projection != nullptr) return false;
            break;
        case Method::Flash3Fp8:
            // Rotated rows of more than 64 dimensions fill the registers.
            return p.queries <= kFewQueries && (p.headDim <= 64 || p.keys <= kFewKeys);
        case Method::Sage1:
        case Method::Flash3Sage:
            return p.queries <= kFewQueries;
    }
    return p.queries <= kFewQueries || p.keys <= kFewKeys;
}

/// How the loaded CUDA kernels run this problem. Its obstacle is what keeps them from it beyond what every
/// device asks of one: the type, the alignment of rows, the GPU.
AttentionPlan planAttention(Method method, const AttentionProblem& problem);

/// For the list of backends.
template <Method method>
AttentionPlan plan(const AttentionProblem& problem) {
    return planAttention(method, problem);
}

}  // namespace reelgrid::kernels::cuda
