// sagev2: int8 Q and K around K's mean with a scale for each thread's rows, e4m3 V with a scale a channel.

#include "kernels/cuda/attention/hopper/launch_fav3_quantised.cuh"

namespace reelgrid::kernels::cuda::device {

std::int64_t sagev2Workspace(const AttentionProblem& problem) {
    return fav3QuantisedWorkspace<Method::Sage2>(problem);
}

void sagev2(const AttentionProblem& problem) {
    attendInt8<Method::Sage2>(problem);
}

}  // namespace reelgrid::kernels::cuda::device
