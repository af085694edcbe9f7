// fav3_fp8 over short sequences.

#include <vector>

#include "kernels/attention/rotation_signs.h"
#include "kernels/cuda/attention/short/short_quantised_kernel.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

template <class Element>
void attendRotated(const AttentionProblem& p) {
    constexpr auto kValues = ShortValues::E4m3PerHead;
    ShortQuantisedCall call{.rotation = 16};
    while (call.rotation < p.headDim) call.rotation *= 2;
    static const std::vector<float> signs = rotationSigns(256);
    for (std::size_t d = 0; d < signs.size(); ++d)
        if (signs[d] < 0) call.minus[d / 32] |= 1U << (d % 32);
    if (p.headDim <= 64 && p.keys <= 32)
        launchShortQuantised<ShortConfig<Element, 32, 1>, kValues, 2>(p, call);
    else if (p.headDim <= 64)
        launchShortQuantised<ShortConfig<Element, 64, 1>, kValues, 2>(p, call);
    else
        launchShortQuantised<ShortConfig<Element, 32, 1>, kValues, 8>(p, call);
}

}  // namespace

void shortFav3Fp8(const AttentionProblem& problem) {
    if (problem.type == DataType::Float16)
        attendRotated<__half>(problem);
    else
        attendRotated<__nv_bfloat16>(problem);
}

}  // namespace reelgrid::kernels::cuda::device
