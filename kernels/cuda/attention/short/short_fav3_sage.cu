// fav3_sage over short sequences.

#include "kernels/cuda/attention/short/short_quantised_kernel.cuh"

namespace reelgrid::kernels::cuda::device {

void shortFav3Sage(const AttentionProblem& problem) {
    if (problem.type == DataType::Float16)
        attendShortIntegers<__half, ShortValues::E4m3PerChannel>(problem);
    else
        attendShortIntegers<__nv_bfloat16, ShortValues::E4m3PerChannel>(problem);
}

}  // namespace reelgrid::kernels::cuda::device
