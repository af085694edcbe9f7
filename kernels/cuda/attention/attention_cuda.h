#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"

namespace reelgrid::kernels::cuda {

/// What the CUDA kernels of attention take at most.
constexpr std::int64_t kMaxHeadDim = 128;
/// Of sla: a block of threads holds the scores of all blocks of keys.
constexpr std::int64_t kMostSparseKeys = 384'000;
/// Of sla: a grid's second extent.
constexpr std::int64_t kMostSparseHeads = 65'535;

/// What keeps the loaded CUDA kernels from this problem, beyond what every device asks of one: the type, the
/// alignment of rows, the GPU. Nothing when they can run it.
std::optional<std::string> attentionObstacle(Method method, const AttentionProblem& problem);

/// Bytes of the problem's workspace that attend() needs.
std::int64_t attentionWorkspace(Method method, const AttentionProblem& problem);

/// Queues the call on the problem's stream; nothing waits for it. Throws std::runtime_error when CUDA refuses
/// it.
void attend(Method method, const AttentionProblem& problem);

}  // namespace reelgrid::kernels::cuda
