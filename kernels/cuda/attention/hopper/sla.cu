#include "kernels/cuda/attention/hopper/sla_kernel.cuh"
#include "kernels/cuda/attention/hopper/tensor_map.cuh"
#include "kernels/cuda/attention/sla/sla_parts.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

SlaCall callFor(const AttentionProblem& p, const KeptBlocks& kept, const PlacesInOrder& places) {
    SlaCall call{.tiles = {.shape = shapeOf(p), .queryTiles = tilesOf(p.queries, kSparseQueries), .tiles = 0},
                 .keyBlocks = tilesOf(p.keys, kSparseKeys),
                 .kept = kept,
                 .places = places};
    call.tiles.tiles = static_cast<int>(blocksOf(call.tiles.queryTiles * p.queryHeads * p.batch));
    return call;
}

/// matrices: of the linear branch, where there is one.
template <class Element, int kHeadDim, Branch kBranch>
void attendSparsely(const char* name, const AttentionProblem& p, const SlaCall& call,
                    const __nv_bfloat16* matrices) {
    using Config = SlaConfig<Element, kHeadDim, kBranch>;
    const auto qMap =
        tensorMap(p.type, {p.q, p.headDim, p.queries, p.queryHeads, p.batch, p.qStrides}, Config::kQueries);
    const auto kMap =
        tensorMap(p.type, {p.k, p.headDim, p.keys, p.keyHeads, p.batch, p.kStrides}, kSparseKeys);
    const auto vMap =
        tensorMap(p.type, {p.v, p.headDim, p.keys, p.keyHeads, p.batch, p.vStrides}, kSparseKeys);
    const Strides matrixStrides{
        .batch = p.keyHeads * 2 * kHeadDim * kHeadDim, .head = 2 * kHeadDim * kHeadDim, .token = kHeadDim};
    const auto matrixMap =
        kBranch == Branch::None
            ? kMap
            : tensorMap(DataType::BFloat16,
                        {matrices, kHeadDim, 2 * kHeadDim, p.keyHeads, p.batch, matrixStrides},
                        Config::kKeys);
    constexpr int kSharedBytes =
        Config::kStreams * sizeof(Fav3Shared<Config>) + 1024;  // to begin at a multiple of 1024
    const int blocks = std::min(tilesOf(call.tiles.tiles, Config::kStreams), processors());
    launch(name, Start::WithPrevious, &slaKernel<Config>, dim3(blocks), Config::kThreads, kSharedBytes,
           static_cast<cudaStream_t>(p.stream), qMap, kMap, vMap, matrixMap, call);
}

}  // namespace

std::int64_t slaWorkspace(const AttentionProblem& problem) {
    return SlaParts(problem).bytes;
}

void sla(const AttentionProblem& problem) {
    const SlaParts parts(problem);
    prepareSla(problem, parts);
    SlaCall call = callFor(problem, parts.kept(), {});
    call.featureSums = parts.featureSums;
    call.bias = problem.sparseLinear.bias;
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        withBranch(problem, [&](auto branch) {
            attendSparsely<Element, headDim, branch>("sla", problem, call, parts.matrices);
        });
    });
}

void attendToKeptHopper(const AttentionProblem& problem, const KeptBlocks& kept,
                        const PlacesInOrder& places) {
    const SlaCall call = callFor(problem, kept, places);
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        attendSparsely<Element, headDim, Branch::None>("attention to kept blocks", problem, call, nullptr);
    });
}

}  // namespace reelgrid::kernels::cuda::device
