#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/attention/blackwell/fav3_tcgen05_kernel.cuh"
#include "kernels/cuda/attention/hopper/tensor_map.cuh"
#include "kernels/cuda/attention/launch_attention.cuh"

namespace reelgrid::kernels::cuda::device {

void fav3Tcgen05(const AttentionProblem& problem) {
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        using Config = Fav3Tcgen05Config<Element, headDim>;
        const AttentionProblem& p = problem;
        const auto qMap = tensorMap(p.type, {p.q, p.headDim, p.queries, p.queryHeads, p.batch, p.qStrides},
                                    Config::kQueries);
        const auto kMap =
            tensorMap(p.type, {p.k, p.headDim, p.keys, p.keyHeads, p.batch, p.kStrides}, Config::kKeys);
        const auto vMap =
            tensorMap(p.type, {p.v, p.headDim, p.keys, p.keyHeads, p.batch, p.vStrides}, Config::kKeys);
        const Fav3Tcgen05Call call{.shape = shapeOf(p),
                                   .blocks = tilesOf(p.queries, Config::kGroups * Config::kQueries)};
        constexpr int kSharedBytes =
            sizeof(Fav3Tcgen05Shared<Config>) + 1024;  // to begin at a multiple of 1024
        const auto kernel = &fav3Tcgen05Kernel<Config>;
        allowShared(kernel, kSharedBytes);
        kernel<<<blocksOf(call.blocks * p.queryHeads * p.batch), Config::kThreads, kSharedBytes,
                 static_cast<cudaStream_t>(p.stream)>>>(qMap, kMap, vMap, call);
        checkLaunch("fav3 by tcgen05");
    });
}

}  // namespace reelgrid::kernels::cuda::device
