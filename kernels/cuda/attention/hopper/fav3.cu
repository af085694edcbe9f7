#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/attention/hopper/fav3_kernel.cuh"
#include "kernels/cuda/attention/hopper/tensor_map.cuh"
#include "kernels/cuda/attention/launch_attention.cuh"

namespace reelgrid::kernels::cuda::device {

void fav3(const AttentionProblem& problem) {
    withElementAndHeadDim(
        problem, HeadDims<48, 64, 80, 96, 128, 160, 192, 256>(), [&]<class Element>(Element*, auto headDim) {
            using Config = Fav3Config<Element, headDim>;
            const AttentionProblem& p = problem;
            const auto qMap = tensorMap(
                p.type, {p.q, p.headDim, p.queries, p.queryHeads, p.batch, p.qStrides}, Config::kQueries);
            const auto kMap =
                tensorMap(p.type, {p.k, p.headDim, p.keys, p.keyHeads, p.batch, p.kStrides}, Config::kKeys);
            const auto vMap =
                tensorMap(p.type, {p.v, p.headDim, p.keys, p.keyHeads, p.batch, p.vStrides}, Config::kKeys);
            Fav3Call call{
                .shape = shapeOf(p), .queryTiles = tilesOf(p.queries, Config::kQueries), .tiles = 0};
            call.tiles = static_cast<int>(blocksOf(call.queryTiles * p.queryHeads * p.batch));
            constexpr int kSharedBytes = sizeof(Fav3Shared<Config>) + 1024;  // to begin at a multiple of 1024
            const auto kernel = &fav3Kernel<Config>;
            allowShared(kernel, kSharedBytes);
            const int blocks = std::min(call.tiles, processors());
            kernel<<<blocks, Config::kThreads, kSharedBytes, static_cast<cudaStream_t>(p.stream)>>>(
                qMap, kMap, vMap, call);
            checkLaunch("fav3");
        });
}

}  // namespace reelgrid::kernels::cuda::device
