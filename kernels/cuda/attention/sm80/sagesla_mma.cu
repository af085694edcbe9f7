#include "kernels/cuda/attention/quantise/sagev1_parts.cuh"
#include "kernels/cuda/attention/sla/sla_parts.cuh"
#include "kernels/cuda/attention/sm80/sagesla_mma_kernel.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

/// The problem for sagev1's parts, whose workspace lies behind sla's.
AttentionProblem behind(const SlaParts& sla, AttentionProblem problem) {
    if (problem.workspace != nullptr) problem.workspace = static_cast<char*>(problem.workspace) + sla.bytes;
    return problem;
}

}  // namespace

std::int64_t sageslaMmaWorkspace(const AttentionProblem& problem) {
    const SlaParts sla(problem);
    return sla.bytes + Sagev1Parts(behind(sla, problem), kSageQueries, kSageKeys).bytes;
}

void sageslaMma(const AttentionProblem& problem) {
    const SlaParts sla(problem);
    prepareSla(problem, sla);
    const AttentionProblem quantised = behind(sla, problem);
    const Sagev1Parts parts(quantised, kSageQueries, kSageKeys);
    quantise(quantised, parts);
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        withBranch(problem, [&](auto branch) {
            using Config = SlaMmaConfig<Element, headDim, branch>;
            const SageslaMmaCall call{.sparse = {.tiles = {.shape = sagev1Shape(problem),
                                                           .q = problem.q,
                                                           .k = nullptr,
                                                           .v = problem.v,
                                                           .qStrides = problem.qStrides,
                                                           .kStrides = {},
                                                           .vStrides = problem.vStrides,
                                                           .queryTiles = sla.queryBlocks},
                                                 .kept = sla.kept(),
                                                 .places = {},
                                                 .featureSums = sla.featureSums,
                                                 .matrices = sla.matrices,
                                                 .bias = problem.sparseLinear.bias},
                                      .operands = parts.operands()};
            const auto kernel = &sageslaMmaKernel<Config>;
            allowShared(kernel, Config::kSharedBytes);
            const auto blocks = blocksOf(sla.queryBlocks * problem.queryHeads * problem.batch);
            kernel<<<blocks, Config::kThreads, Config::kSharedBytes,
                     static_cast<cudaStream_t>(problem.stream)>>>(call);
            checkLaunch("sagesla");
        });
    });
}

}  // namespace reelgrid::kernels::cuda::device
