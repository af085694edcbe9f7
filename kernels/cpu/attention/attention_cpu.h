#pragma once

#include "kernels/attention/problem.h"

namespace reelgrid::kernels::cpu {

// All throw std::runtime_error when REELGRID_CPU forces what the machine lacks. The problem must be one that
// backend_list's whyNot() has nothing against. None writes to q, k or v. Memory: O(Nk · D) packed keys and
// values of one group of heads, nothing of size Nq × Nk.

/// FlashAttention-2's mathematics.
void fav2(const AttentionProblem& problem);

/// The same sum as FlashAttention-3 walks it: longer blocks of keys, from the last to the first.
void fav3(const AttentionProblem& problem);

/// FlashAttention-3 in FP8: rotated Q and K in e4m3 with a scale a block, V in e4m3 with a scale a head, P in
/// e4m3 as 2^8 times the weight.
void fav3Fp8(const AttentionProblem& problem);

/// SageAttention 1: int8 scores with smoothed keys, then P · V.
void sageV1(const AttentionProblem& problem);

/// aiter's fav3_sage: int8 scores with smoothed keys, V in e4m3 with a scale a channel, P in e4m3.
void fav3Sage(const AttentionProblem& problem);

/// Sparse-linear attention (SLA): softmax over the blocks of keys that score highest, and a linear branch
/// through problem.sparseLinear's projection.
void sparseLinear(const AttentionProblem& problem);

}  // namespace reelgrid::kernels::cpu
