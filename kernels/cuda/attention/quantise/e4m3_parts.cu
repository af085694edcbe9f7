#include <vector>

#include "kernels/attention/rotation_signs.h"
#include "kernels/cuda/attention/quantise/method_parts.cuh"
#include "kernels/cuda/attention/quantise/quantise_rotated.cuh"
#include "kernels/cuda/attention/quantise/quantise_values.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

/// As many dimensions as are turned: a power of two.
int rotationOf(const AttentionProblem& p) {
    int size = 16;
    while (size < p.headDim) size *= 2;
    return size;
}

}  // namespace

float rotatedScoreFactor(const AttentionProblem& problem) {
    return problem.scale * kLog2E / static_cast<float>(rotationOf(problem));
}

void quantiseRotatedRows(const AttentionProblem& p, const QuantisedOperands& x) {
    withElementAndHeadDim(p, [&]<class Element>(Element*, auto headDim) {
        constexpr ScaleBlocks kBlocks = traitsOf(Method::Flash3Fp8, headDim).scaleBlocks;
        const auto stream = static_cast<cudaStream_t>(p.stream);
        RotatedRows rows{.source = keyRows(p),
                         .to = {reinterpret_cast<std::int8_t*>(x.k), x.keyRows, x.kScales},
                         .scaleRows = kScaleGrain,
                         .rotation = rotationOf(p)};
        static const std::vector<float> signs = rotationSigns(128);
        for (int d = 0; d < 128; ++d)
            if (signs[static_cast<std::size_t>(d)] < 0) rows.minus[d / 32] |= 1U << (d % 32);
        quantiseRotatedBlocks<Element, headDim, kBlocks.keys>(rows, p.batch * p.keyHeads, stream);
        rows.source = queryRows(p);
        rows.to = {reinterpret_cast<std::int8_t*>(x.q), x.queryRows, x.qScales};
        rows.scaleRows = kBlocks.queries;
        quantiseRotatedBlocks<Element, headDim, kBlocks.queries>(rows, p.batch * p.queryHeads, stream);
    });
}

void quantiseValues(Method method, const AttentionProblem& p, const QuantisedOperands& x, float largest) {
    const MethodTraits traits = traitsOf(method, static_cast<int>(p.headDim));
    const Share share = traits.valueScales == ValueScales::PerHead ? Share::Head : Share::Channel;
    withElementAndHeadDim(p, [&]<class Element>(Element*, auto headDim) {
        quantiseValuesToE4m3<Element, headDim>(
            valueRows(p), p.sequence.valueMaxima, {x.v, x.keyRows, x.vScales}, {share, largest},
            p.batch * p.keyHeads, x.partial, static_cast<cudaStream_t>(p.stream));
    });
}

}  // namespace reelgrid::kernels::cuda::device
