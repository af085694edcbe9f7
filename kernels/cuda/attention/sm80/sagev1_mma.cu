#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/attention/quantise/sagev1_parts.cuh"
#include "kernels/cuda/attention/sm80/sagev1_mma_kernel.cuh"

namespace reelgrid::kernels::cuda::device {

std::int64_t sagev1MmaWorkspace(const AttentionProblem& problem) {
    return Sagev1Parts(problem, kSageQueries, kSageKeys).bytes;
}

void sagev1Mma(const AttentionProblem& problem) {
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        using Config = Sagev1MmaConfig<Element, headDim>;
        const auto stream = static_cast<cudaStream_t>(problem.stream);
        const Sagev1Parts parts(problem, kSageQueries, kSageKeys);
        quantise(problem, parts);
        const Sagev1MmaCall call{.tiles = {.shape = sagev1Shape(problem),
                                           .q = nullptr,
                                           .k = nullptr,
                                           .v = problem.v,
                                           .qStrides = {},
                                           .kStrides = {},
                                           .vStrides = problem.vStrides,
                                           .queryTiles = tilesOf(problem.queries, Config::kQueries)},
                                 .operands = parts.operands()};
        const auto kernel = &sagev1MmaKernel<Config>;
        allowShared(kernel, Config::kSharedBytes);
        const auto blocks = blocksOf(call.tiles.queryTiles * problem.queryHeads * problem.batch);
        kernel<<<blocks, Config::kThreads, Config::kSharedBytes, stream>>>(call);
        checkLaunch("sagev1");
    });
}

}  // namespace reelgrid::kernels::cuda::device
