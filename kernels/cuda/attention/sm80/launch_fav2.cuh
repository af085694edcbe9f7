#pragma once

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/attention/sm80/fav2_kernel.cuh"

namespace reelgrid::kernels::cuda::device {

template <class Config>
void launchFav2(const AttentionProblem& problem) {
    Fav2Call call{.shape = shapeOf(problem),
                  .q = problem.q,
                  .k = problem.k,
                  .v = problem.v,
                  .qStrides = problem.qStrides,
                  .kStrides = problem.kStrides,
                  .vStrides = problem.vStrides,
                  .queryTiles = tilesOf(problem.queries, Config::kQueries)};
    const auto kernel = &fav2Kernel<Config>;
    allowShared(kernel, Config::kSharedBytes);
    const auto blocks = blocksOf(call.queryTiles * problem.queryHeads * problem.batch);
    kernel<<<blocks, Config::kThreads, Config::kSharedBytes, static_cast<cudaStream_t>(problem.stream)>>>(
        call);
    checkLaunch("fav2");
}

}  // namespace reelgrid::kernels::cuda::device
