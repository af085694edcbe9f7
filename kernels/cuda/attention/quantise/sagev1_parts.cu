#include "kernels/cuda/attention/quantise/sagev1_parts.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

template <class Element, int kHeadDim>
void quantiseRows(const AttentionProblem& p, const Sagev1Parts& parts, cudaStream_t stream) {
    const std::int64_t keyHeads = p.batch * p.keyHeads;
    if (parts.means != nullptr)
        meanOverTokens<Element, kHeadDim>(keyRows(p), p.sequence.keyMean, keyHeads, parts.meanSlabs,
                                          parts.means, stream);
    quantiseRowsToInt8<Element, kHeadDim, kSageKeys, RowLayout::CoreMatrices>(
        {.source = keyRows(p), .to = parts.k, .scaleRows = kSageKeys, .factor = 1, .mean = parts.means},
        keyHeads, stream);
    quantiseRowsToInt8<Element, kHeadDim, kSageQueries, RowLayout::CoreMatrices>(
        {.source = queryRows(p),
         .to = parts.q,
         .scaleRows = kSageQueries,
         .factor = p.scale * kLog2E,
         .dotMean = parts.means,
         .dotHeads = static_cast<int>(p.queryHeads / p.keyHeads),
         .dotScale = p.scale,
         .dots = parts.shifts},
        p.batch * p.queryHeads, stream);
}

}  // namespace

void quantise(const AttentionProblem& problem, const Sagev1Parts& parts) {
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        quantiseRows<Element, headDim>(problem, parts, static_cast<cudaStream_t>(problem.stream));
    });
    notePrepared(problem);
}

}  // namespace reelgrid::kernels::cuda::device
