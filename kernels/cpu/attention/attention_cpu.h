#pragma once

#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"

namespace reelgrid::kernels::cpu {

constexpr int kMaxHeadDim = 256;

/// Runs a problem that backend_list's whyNot() has nothing against. Throws std::runtime_error when
/// REELGRID_CPU forces what the machine lacks. Doesn't write to q, k or v. Memory: O(Nk · D) packed keys and
/// values of one group of heads, nothing of size Nq × Nk.
void attend(Method method, const AttentionProblem& problem);

}  // namespace reelgrid::kernels::cpu
