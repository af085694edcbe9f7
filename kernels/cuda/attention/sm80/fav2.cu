#include "kernels/cuda/attention/sm80/launch_fav2.cuh"

namespace reelgrid::kernels::cuda::device {

void fav2(const AttentionProblem& problem) {
    withElementAndHeadDim(
        problem, HeadDims<48, 64, 80, 96, 128, 160, 192, 256>(),
        [&]<class Element>(Element*, auto headDim) { launchFav2<Fav2Config<Element, headDim>>(problem); });
}

}  // namespace reelgrid::kernels::cuda::device
