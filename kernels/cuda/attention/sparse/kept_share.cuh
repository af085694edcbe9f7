#pragma once

// Of all pairs of blocks, the share that a map keeps: AttentionProblem::keptShare.

#include "kernels/cuda/attention/sla/sla_call.cuh"

namespace reelgrid::kernels::cuda::device {

constexpr int kKeptShareThreads = 256;

/// One block of threads adds up the rows' counts.
static __global__ void __launch_bounds__(kKeptShareThreads)
    keptShareOf(const std::int32_t* counts, int rows, int keyBlocks, double* share) {
    afterPrevious();
    __shared__ unsigned long long kept;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
    unsigned long long mine = 0;
    for (int row = static_cast<int>(threadIdx.x); row < rows; row += kKeptShareThreads)
        mine += static_cast<unsigned long long>(counts[row]);
    atomicAdd(&kept, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        *share = static_cast<double>(kept) / (static_cast<double>(rows) * static_cast<double>(keyBlocks));
}

}  // namespace reelgrid::kernels::cuda::device
