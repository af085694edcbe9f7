#pragma once

#include <vector>

#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"

namespace reelgrid::kernels::test {

struct GridAttention {
    std::vector<double> out;  ///< [B, Hq, Nq, D]
    double keptShare = 0;     ///< of the pairs of blocks
};

/// sta (4 × 4 × 4 tiles, a window of 3 each way) or radial in float64, from their definitions: a block of 128
/// queries attends to each block of 64 keys of which one is seen by one of its queries.
GridAttention gridAttention(Method method, const AttentionProblem& problem);

}  // namespace reelgrid::kernels::test
