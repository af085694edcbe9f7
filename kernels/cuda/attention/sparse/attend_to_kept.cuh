#pragma once

// The last steps of every sparse method without a linear branch.

#include "kernels/cuda/attention/sla/sla_parts.cuh"
#include "kernels/cuda/attention/sparse/kept_blocks.cuh"

namespace reelgrid::kernels::cuda::device {

/// By the kernel that suits the current GPU.
void attendToKept(const AttentionProblem& problem, const KeptBlocks& kept, const PlacesInOrder& places);

/// Queues that the problem's keptShare, if it asks for one, gets what these rows of a map keep; `counts` is
/// memory of the device.
void tellShare(const AttentionProblem& problem, const std::int32_t* counts, int rows, int keyBlocks);

}  // namespace reelgrid::kernels::cuda::device
