// fav3_fp8: e4m3 Q and K after a rotation, e4m3 V with a scale a head.

#include "kernels/cuda/attention/hopper/launch_fav3_quantised.cuh"

namespace reelgrid::kernels::cuda::device {

std::int64_t fav3Fp8Workspace(const AttentionProblem& problem) {
    return fav3QuantisedWorkspace<Method::Flash3Fp8>(problem);
}

void fav3Fp8(const AttentionProblem& problem) {
    withOperands<Method::Flash3Fp8>(problem, [&](auto headDim, const QuantisedOperands& x) {
        quantiseRotatedRows(problem, x);
        quantiseValues(Method::Flash3Fp8, problem, x);
        notePrepared(problem);
        launchFav3Quantised<Method::Flash3Fp8, headDim>(problem, x, rotatedScoreFactor(problem));
    });
}

}  // namespace reelgrid::kernels::cuda::device
