// fav3_sage: int8 Q and K around K's mean, e4m3 V with a scale a channel.

#include "kernels/cuda/attention/hopper/launch_fav3_quantised.cuh"

namespace reelgrid::kernels::cuda::device {

std::int64_t fav3SageWorkspace(const AttentionProblem& problem) {
    return fav3QuantisedWorkspace<Method::Flash3Sage>(problem);
}

void fav3Sage(const AttentionProblem& problem) {
    attendInt8<Method::Flash3Sage>(problem);
}

}  // namespace reelgrid::kernels::cuda::device
