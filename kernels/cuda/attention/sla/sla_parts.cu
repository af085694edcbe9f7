#include "kernels/cuda/attention/sla/sla_parts.cuh"

#include "kernels/cuda/attention/sla/sla_keys.cuh"
#include "kernels/cuda/attention/sla/sla_map.cuh"
#include "kernels/cuda/attention/sla/sla_matrices.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

template <class Element, int kHeadDim, Branch kBranch>
void passOverKeys(const AttentionProblem& p, const SlaParts& parts, cudaStream_t stream) {
    using Config = SlaKeysConfig<Element, kHeadDim, kBranch>;
    const SlaKeysCall call{.k = p.k,
                           .v = p.v,
                           .kStrides = p.kStrides,
                           .vStrides = p.vStrides,
                           .keys = static_cast<int>(p.keys),
                           .headDim = static_cast<int>(p.headDim),
                           .keyHeads = static_cast<int>(p.keyHeads),
                           .keyBlocks = parts.keyBlocks,
                           .runs = parts.runs,
                           .runBlocks = parts.runBlocks,
                           .blockMeans = parts.blockMeans,
                           .keySums = parts.keySums,
                           .featureSums = parts.featureRuns,
                           .products = parts.products};
    const dim3 grid(parts.runs, blocksOf(p.batch * p.keyHeads));
    launch("sla's pass over keys", Start::AfterPrevious, &slaKeys<Config>, grid, Config::kThreads,
           Config::kSharedBytes, stream, call);
    if constexpr (kBranch == Branch::Linear) {
        const SlaMatricesCall matrices{.headDim = call.headDim,
                                       .runs = parts.runs,
                                       .products = parts.products,
                                       .featureRuns = parts.featureRuns,
                                       .projection = p.sparseLinear.projection,
                                       .featureSums = parts.featureSums,
                                       .matrices = parts.matrices};
        const dim3 blocks(kHeadDim * kHeadDim / (4 * kSlaMatricesThreads), grid.y);
        launch("sla's matrices", Start::WithPrevious, &slaMatrices<kHeadDim>, blocks, kSlaMatricesThreads, 0,
               stream, matrices);
    }
}

template <class Element, int kHeadDim, int kQueries, int kKeys>
void chooseBlocks(const AttentionProblem& p, const SlaParts& parts, cudaStream_t stream) {
    using Config = SlaMapConfig<Element, kHeadDim, kQueries, kKeys>;
    const SlaMapCall call = slaMapCall(p, parts);
    const dim3 grid(tilesOf(parts.queryBlocks, Config::kQueryBlocks), blocksOf(p.batch * p.queryHeads));
    launch("sla's map", Start::WithPrevious, &slaMap<Config>, grid, Config::kThreads,
           Config::sharedBytes(parts.choices), stream, call);
}

}  // namespace

SlaMapCall slaMapCall(const AttentionProblem& p, const SlaParts& parts) {
    return {.q = p.q,
            .qStrides = p.qStrides,
            .queries = static_cast<int>(p.queries),
            .keys = static_cast<int>(p.keys),
            .headDim = static_cast<int>(p.headDim),
            .queryHeads = static_cast<int>(p.queryHeads),
            .queryHeadsPerKeyHead = static_cast<int>(p.queryHeads / p.keyHeads),
            .queryBlocks = parts.queryBlocks,
            .keyBlocks = parts.keyBlocks,
            .runs = parts.runs,
            .choices = parts.choices,
            .count = parts.count,
            .blockMeans = parts.blockMeans,
            .keySums = parts.keySums,
            .chosen = parts.chosen};
}

void sumKeys(const AttentionProblem& problem, const SlaParts& parts) {
    const auto stream = static_cast<cudaStream_t>(problem.stream);
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        withBranch(problem,
                   [&](auto branch) { passOverKeys<Element, headDim, branch>(problem, parts, stream); });
    });
}

void prepareSla(const AttentionProblem& problem, const SlaParts& parts) {
    const auto stream = static_cast<cudaStream_t>(problem.stream);
    sumKeys(problem, parts);
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        constexpr SparseBlocks kSage = traitsOf(Method::SageSparseLinear, headDim).sparse;
        if (parts.blocks.keys == kSage.keys)
            chooseBlocks<Element, headDim, kSage.queries, kSage.keys>(problem, parts, stream);
        else
            chooseBlocks<Element, headDim, kSparseQueries, kSparseKeys>(problem, parts, stream);
    });
}

}  // namespace reelgrid::kernels::cuda::device
