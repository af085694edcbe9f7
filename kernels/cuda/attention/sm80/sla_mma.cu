#include "kernels/cuda/attention/sla/sla_parts.cuh"
#include "kernels/cuda/attention/sm80/sla_mma_kernel.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

SlaMmaCall callFor(const AttentionProblem& p, const KeptBlocks& kept, const PlacesInOrder& places) {
    return {.tiles = {.shape = shapeOf(p),
                      .q = p.q,
                      .k = p.k,
                      .v = p.v,
                      .qStrides = p.qStrides,
                      .kStrides = p.kStrides,
                      .vStrides = p.vStrides,
                      .queryTiles = tilesOf(p.queries, kSparseQueries)},
            .kept = kept,
            .places = places};
}

template <class Config>
void launchMma(const char* name, const AttentionProblem& p, const SlaMmaCall& call) {
    const dim3 blocks(blocksOf(call.tiles.queryTiles * p.queryHeads * p.batch));
    launch(name, Start::WithPrevious, &slaMmaKernel<Config>, blocks, Config::kThreads, Config::kSharedBytes,
           static_cast<cudaStream_t>(p.stream), call);
}

}  // namespace

void slaMma(const AttentionProblem& problem) {
    const SlaParts parts(problem);
    prepareSla(problem, parts);
    SlaMmaCall call = callFor(problem, parts.kept(), {});
    call.featureSums = parts.featureSums;
    call.matrices = parts.matrices;
    call.bias = problem.sparseLinear.bias;
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        withBranch(problem, [&](auto branch) {
            launchMma<SlaMmaConfig<Element, headDim, branch>>("sla", problem, call);
        });
    });
}

void attendToKeptMma(const AttentionProblem& problem, const KeptBlocks& kept, const PlacesInOrder& places) {
    const SlaMmaCall call = callFor(problem, kept, places);
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        launchMma<SlaMmaConfig<Element, headDim, Branch::None>>("attention to kept blocks", problem, call);
    });
}

}  // namespace reelgrid::kernels::cuda::device
