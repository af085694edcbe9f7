#pragma once

#include <cstdint>

#include "kernels/attention/method.h"
#include "kernels/attention/plan.h"

namespace reelgrid::kernels::cuda {

/// What the CUDA kernels of attention take at most.
constexpr std::int64_t kMaxHeadDim = 128;
/// Of sla: a block of threads holds the scores of all blocks of keys.
constexpr std::int64_t kMostSparseKeys = 384'000;
/// Of sla: a grid's second extent.
constexpr std::int64_t kMostSparseHeads = 65'535;

/// How the loaded CUDA kernels run this problem. Its obstacle is what keeps them from it beyond what every
/// device asks of one: the type, the alignment of rows, the GPU.
AttentionPlan planAttention(Method method, const AttentionProblem& problem);

/// For the list of backends.
template <Method method>
AttentionPlan plan(const AttentionProblem& problem) {
    return planAttention(method, problem);
}

}  // namespace reelgrid::kernels::cuda
