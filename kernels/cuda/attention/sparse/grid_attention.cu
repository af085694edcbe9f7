// sta and radial: the map is one of where tokens lie, made once.

#include "kernels/cuda/attention/sparse/attend_to_kept.cuh"
#include "kernels/cuda/attention/sparse/gather_rows.cuh"
#include "kernels/cuda/attention/sparse/grid_maps.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

/// Where Q, K and V in the map's order lie in the workspace.
struct OrderedParts {
    void *q, *k, *v;
    std::int64_t bytes;

    explicit OrderedParts(const AttentionProblem& p) {
        WorkspaceParts parts(p.workspace);
        const std::int64_t rows = p.batch * p.headDim;
        q = parts.take<std::uint16_t>(rows * p.queryHeads * p.queries);
        k = parts.take<std::uint16_t>(rows * p.keyHeads * p.keys);
        v = parts.take<std::uint16_t>(rows * p.keyHeads * p.keys);
        bytes = parts.bytes();
    }
};

/// Queues the copies; the problem over them.
AttentionProblem inOrder(const AttentionProblem& p, const std::int32_t* order) {
    const OrderedParts parts(p);
    const auto queryHeads = static_cast<int>(p.queryHeads), keyHeads = static_cast<int>(p.keyHeads);
    const GatherCall call{.tensors = {{p.q, p.qStrides, queryHeads, parts.q},
                                      {p.k, p.kStrides, keyHeads, parts.k},
                                      {p.v, p.vStrides, keyHeads, parts.v}},
                          .order = order,
                          .batch = static_cast<int>(p.batch),
                          .tokens = static_cast<int>(p.queries),
                          .rowPieces = static_cast<int>(p.headDim / 8)};
    const dim3 grid(tilesOf(p.queries * call.rowPieces, kGatherThreads), blocksOf(p.batch * p.queryHeads), 3);
    launch("the order of tiles", Start::AfterPrevious, &gatherRows, grid, kGatherThreads, 0,
           static_cast<cudaStream_t>(p.stream), call);
    const auto strides = [&](std::int64_t heads) {
        return Strides{heads * p.queries * p.headDim, p.queries * p.headDim, p.headDim};
    };
    AttentionProblem ordered = p;
    ordered.q = parts.q;
    ordered.k = parts.k;
    ordered.v = parts.v;
    ordered.qStrides = strides(p.queryHeads);
    ordered.kStrides = ordered.vStrides = strides(p.keyHeads);
    return ordered;
}

void attendOnGrid(Method method, const AttentionProblem& problem) {
    const auto map = gridMapOn(method, problem);
    const AttentionProblem ordered = map->reorders() ? inOrder(problem, map->places.order) : problem;
    notePrepared(problem);
    attendToKept(ordered, map->kept, map->places);
    tellShare(problem, map->kept.counts, map->rows, map->keyBlocks);
}

}  // namespace

std::int64_t slidingTilesWorkspace(const AttentionProblem& problem) {
    return OrderedParts(problem).bytes;
}

void slidingTiles(const AttentionProblem& problem) {
    attendOnGrid(Method::SlidingTile, problem);
}

void radial(const AttentionProblem& problem) {
    attendOnGrid(Method::Radial, problem);
}

}  // namespace reelgrid::kernels::cuda::device
