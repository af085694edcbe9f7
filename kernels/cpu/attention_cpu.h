#pragma once

#include "kernels/attention/problem.h"

namespace reelgrid::kernels::cpu {

/// FlashAttention-2's mathematics. Throws std::runtime_error when REELGRID_CPU forces what the machine lacks.
/// The problem must be one that backend_list's whyNot() has nothing against. Memory: O(Nk · D) packed keys
/// and values of one group of heads, nothing of size Nq × Nk.
void fav2(const AttentionProblem& problem);

/// The same sum as FlashAttention-3 walks it: longer blocks of keys, from the last to the first.
void fav3(const AttentionProblem& problem);

/// SageAttention 1: int8 scores with smoothed keys, then P · V. Never writes to q, k, v.
void sageV1(const AttentionProblem& problem);

}  // namespace reelgrid::kernels::cpu
