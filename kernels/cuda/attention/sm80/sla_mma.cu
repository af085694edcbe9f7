#include "kernels/cuda/attention/sla/sla_parts.cuh"
#include "kernels/cuda/attention/sm80/sla_mma_kernel.cuh"

namespace reelgrid::kernels::cuda::device {

void slaMma(const AttentionProblem& problem) {
    const SlaParts parts(problem);
    prepareSla(problem, parts);
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        withBranch(problem, [&](auto branch) {
            using Config = SlaMmaConfig<Element, headDim, branch>;
            const SlaMmaCall call{.tiles = {.shape = shapeOf(problem),
                                            .q = problem.q,
                                            .k = problem.k,
                                            .v = problem.v,
                                            .qStrides = problem.qStrides,
                                            .kStrides = problem.kStrides,
                                            .vStrides = problem.vStrides,
                                            .queryTiles = parts.queryBlocks},
                                  .count = parts.count,
                                  .chosen = parts.chosen,
                                  .featureSums = parts.featureSums,
                                  .matrices = parts.matrices,
                                  .bias = problem.sparseLinear.bias};
            const dim3 blocks(blocksOf(call.tiles.queryTiles * problem.queryHeads * problem.batch));
            launch("sla", Start::WithPrevious, &slaMmaKernel<Config>, blocks, Config::kThreads,
                   Config::kSharedBytes, static_cast<cudaStream_t>(problem.stream), call);
        });
    });
}

}  // namespace reelgrid::kernels::cuda::device
