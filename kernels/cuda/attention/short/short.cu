#include "kernels/cuda/attention/short/short_kernel.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

template <class C>
void launch(const AttentionProblem& p) {
    const ShortCall call = shortCall(p, 16 * C::kMatrices);
    shortKernel<C>
        <<<shortBlocks(call, C::kWarps), C::kThreads, 0, static_cast<cudaStream_t>(p.stream)>>>(call);
    checkLaunch("short attention");
}

template <class Element>
void attend(const AttentionProblem& p) {
    if (p.keys <= 16 && p.queries <= 16)
        launch<ShortConfig<Element, 16, 1>>(p);
    else if (p.keys <= 32)
        launch<ShortConfig<Element, 32, 2>>(p);
    else
        launch<ShortConfig<Element, 64, 2>>(p);
}

}  // namespace

void shortAttention(const AttentionProblem& problem) {
    if (problem.type == DataType::Float16)
        attend<__half>(problem);
    else
        attend<__nv_bfloat16>(problem);
}

}  // namespace reelgrid::kernels::cuda::device
