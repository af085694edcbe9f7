#include "kernels/cuda/attention/short/short_quantised_kernel.cuh"

namespace reelgrid::kernels::cuda::device {

void shortSagev1(const AttentionProblem& problem) {
    if (problem.type == DataType::Float16)
        attendShortIntegers<__half, ShortValues::Plain>(problem);
    else
        attendShortIntegers<__nv_bfloat16, ShortValues::Plain>(problem);
}

}  // namespace reelgrid::kernels::cuda::device
