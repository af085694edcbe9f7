#pragma once

#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/attention/quantise/sagev1_parts.cuh"
#include "kernels/cuda/attention/sm80/sagev1_mma_kernel.cuh"

namespace reelgrid::kernels::cuda::device {

/// Queues the products over operands that are, or will be by then, in the workspace.
template <class Config, class Operands>
void launchSagev1Mma(const AttentionProblem& problem, const Operands& operands, const char* name) {
    const Sagev1MmaCall<Operands> call{.tiles = {.shape = sagev1Shape(problem),
                                                 .q = nullptr,
                                                 .k = nullptr,
                                                 .v = problem.v,
                                                 .qStrides = {},
                                                 .kStrides = {},
                                                 .vStrides = problem.vStrides,
                                                 .queryTiles = tilesOf(problem.queries, Config::kQueries)},
                                       .operands = operands};
    const auto kernel = &sagev1MmaKernel<Config, Operands>;
    allowShared(kernel, Config::kSharedBytes);
    const auto blocks = blocksOf(call.tiles.queryTiles * problem.queryHeads * problem.batch);
    kernel<<<blocks, Config::kThreads, Config::kSharedBytes, static_cast<cudaStream_t>(problem.stream)>>>(
        call);
    checkLaunch(name);
}

}  // namespace reelgrid::kernels::cuda::device
