#pragma once

#include <vector>

#include "kernels/attention/problem.h"

namespace reelgrid::kernels::test {

struct ReferenceResult {
    std::vector<double> out;  ///< [B, Hq, Nq, D], contiguous
    std::vector<double> lse;  ///< [B, Hq, Nq]
};

/// The truth every kernel is measured against: attention as the formula has it, in float64, one scalar at a
/// time. Ignores problem.out and problem.lse.
ReferenceResult referenceAttention(const AttentionProblem& problem);

/// The element at `index` of `data`, widened.
double elementAt(DataType type, const void* data, std::int64_t index);

}  // namespace reelgrid::kernels::test
