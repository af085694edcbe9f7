#include "kernels/cuda/attention/hopper/sla_kernel.cuh"
#include "kernels/cuda/attention/hopper/tensor_map.cuh"
#include "kernels/cuda/attention/sla/sla_parts.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

template <class Element, int kHeadDim, Branch kBranch>
void attendSparsely(const AttentionProblem& p, const SlaParts& parts, cudaStream_t stream) {
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
                        {parts.matrices, kHeadDim, 2 * kHeadDim, p.keyHeads, p.batch, matrixStrides},
                        Config::kKeys);
    SlaCall call{.tiles = {.shape = shapeOf(p), .queryTiles = parts.queryBlocks, .tiles = 0},
                 .keyBlocks = parts.keyBlocks,
                 .count = parts.count,
                 .chosen = parts.chosen,
                 .featureSums = parts.featureSums,
                 .bias = p.sparseLinear.bias};
    call.tiles.tiles = static_cast<int>(blocksOf(call.tiles.queryTiles * p.queryHeads * p.batch));
    constexpr int kSharedBytes =
        Config::kStreams * sizeof(Fav3Shared<Config>) + 1024;  // to begin at a multiple of 1024
    const int blocks = std::min(tilesOf(call.tiles.tiles, Config::kStreams), processors());
    launch("sla", Start::WithPrevious, &slaKernel<Config>, dim3(blocks), Config::kThreads, kSharedBytes,
           stream, qMap, kMap, vMap, matrixMap, call);
}

}  // namespace

std::int64_t slaWorkspace(const AttentionProblem& problem) {
    return SlaParts(problem).bytes;
}

void sla(const AttentionProblem& problem) {
    const SlaParts parts(problem);
    prepareSla(problem, parts);
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        withBranch(problem, [&](auto branch) {
            attendSparsely<Element, headDim, branch>(problem, parts,
                                                     static_cast<cudaStream_t>(problem.stream));
        });
    });
}

}  // namespace reelgrid::kernels::cuda::device
