#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/attention/hopper/sagev1_kernel.cuh"
#include "kernels/cuda/attention/hopper/tensor_map.cuh"
#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/attention/quantise/sagev1_parts.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

template <class Element, int kHeadDim>
void attendOnHopper(const AttentionProblem& p) {
    using Config = Sagev1Config<Element, kHeadDim>;
    const auto stream = static_cast<cudaStream_t>(p.stream);
    const Sagev1Parts parts(p, Config::kQueries, Config::kKeys);
    quantise(p, parts);
    const auto vMap =
        tensorMap(p.type, {p.v, p.headDim, p.keys, p.keyHeads, p.batch, p.vStrides}, Config::kKeys);
    Sagev1Call call{
        .tiles = {.shape = sagev1Shape(p), .queryTiles = tilesOf(p.queries, Config::kQueries), .tiles = 0},
        .operands = parts.operands()};
    call.tiles.tiles = static_cast<int>(blocksOf(call.tiles.queryTiles * p.queryHeads * p.batch));
    constexpr int kSharedBytes = sizeof(Sagev1Shared<Config>) + 1024;  // to begin at a multiple of 1024
    const auto kernel = &sagev1Kernel<Config>;
    allowShared(kernel, kSharedBytes);
    const int blocks = std::min(call.tiles.tiles, processors());
    kernel<<<blocks, Config::kThreads, kSharedBytes, stream>>>(vMap, call);
    checkLaunch("sagev1");
}

}  // namespace

std::int64_t sagev1Workspace(const AttentionProblem& problem) {
    std::int64_t bytes = 0;
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        using Config = Sagev1Config<Element, headDim>;
        bytes = Sagev1Parts(problem, Config::kQueries, Config::kKeys).bytes;
    });
    return bytes;
}

void sagev1(const AttentionProblem& problem) {
    withElementAndHeadDim(
        problem, [&]<class Element>(Element*, auto headDim) { attendOnHopper<Element, headDim>(problem); });
}

}  // namespace reelgrid::kernels::cuda::device
