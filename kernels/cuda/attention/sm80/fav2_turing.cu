// fav2 for compute capability 7.5: fp16 alone, 64 KB of shared memory a block.

#include "kernels/cuda/attention/sm80/launch_fav2.cuh"

namespace reelgrid::kernels::cuda::device {

void fav2Turing(const AttentionProblem& problem) {
    constexpr int kMostShared = 64 * 1024;
    static_assert(kMostTuringHeadDim == 192);
    withElementAndHeadDim(problem, HeadDims<48, 64, 80, 96, 128, 160, 192>(),
                          [&]<class Element>(Element*, auto headDim) {
                              if constexpr (std::is_same_v<Element, __half>)
                                  launchFav2<Fav2Config<Element, headDim, kMostShared>>(problem);
                          });
}

}  // namespace reelgrid::kernels::cuda::device
