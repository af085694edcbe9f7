#include "kernels/cuda/attention/quantise/sagev1_parts.cuh"
#include "kernels/cuda/attention/sm80/launch_sagev1_mma.cuh"

namespace reelgrid::kernels::cuda::device {

std::int64_t sagev1MmaWorkspace(const AttentionProblem& problem) {
    return Sagev1Parts(problem, kSageQueries, kSageKeys).bytes;
}

void sagev1Mma(const AttentionProblem& problem) {
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        const Sagev1Parts parts(problem, kSageQueries, kSageKeys);
        quantise(problem, parts);
        launchSagev1Mma<Sagev1MmaConfig<Element, headDim>>(problem, parts.operands(), "sagev1");
    });
}

}  // namespace reelgrid::kernels::cuda::device
