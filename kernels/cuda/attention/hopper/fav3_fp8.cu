// fav3_fp8: e4m3 Q and K after a rotation, e4m3 V with a scale a head.

#include "kernels/attention/rotation_signs.h"
#include "kernels/cuda/attention/hopper/launch_fav3_quantised.cuh"
#include "kernels/cuda/attention/hopper/quantise_rotated.cuh"
#include "kernels/cuda/attention/hopper/quantise_values.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

template <int kHeadDim>
using Config = Fav3QuantisedConfig<ScoreBytes::E4m3, kHeadDim>;

template <int kHeadDim>
constexpr ScaleBlocks kBlocks = traitsOf(Method::Flash3Fp8, kHeadDim).scaleBlocks;

template <int kHeadDim>
QuantisedOperands operandsOf(WorkspaceParts& parts, const AttentionProblem& p) {
    using C = Config<kHeadDim>;
    return operandsIn(parts, p, {C::kQueries, C::kKeys}, kBlocks<kHeadDim>.queries, kScaleGrain,
                      slabsOf(p.keys), Smooths::No);
}

/// As many dimensions as are turned: a power of two.
int rotationOf(const AttentionProblem& p) {
    int size = 16;
    while (size < p.headDim) size *= 2;
    return size;
}

template <class Element, int kHeadDim>
void quantise(const AttentionProblem& p, const QuantisedOperands& x) {
    const auto stream = static_cast<cudaStream_t>(p.stream);
    const std::int64_t queryHeads = p.batch * p.queryHeads, keyHeads = p.batch * p.keyHeads;
    RotatedRows rows{.source = keyRows(p),
                     .to = {reinterpret_cast<std::int8_t*>(x.k), x.keyRows, x.kScales},
                     .scaleRows = kScaleGrain,
                     .rotation = rotationOf(p)};
    static const std::vector<float> signs = rotationSigns(128);
    for (int d = 0; d < 128; ++d)
        if (signs[static_cast<std::size_t>(d)] < 0) rows.minus[d / 32] |= 1U << (d % 32);
    quantiseRotatedRows<Element, kHeadDim, kBlocks<kHeadDim>.keys>(rows, keyHeads, stream);
    rows.source = queryRows(p);
    rows.to = {reinterpret_cast<std::int8_t*>(x.q), x.queryRows, x.qScales};
    rows.scaleRows = kBlocks<kHeadDim>.queries;
    quantiseRotatedRows<Element, kHeadDim, kBlocks<kHeadDim>.queries>(rows, queryHeads, stream);
    quantiseValuesToE4m3<Element, kHeadDim>(valueRows(p), p.sequence.valueMaxima, {x.v, x.keyRows, x.vScales},
                                            {Share::Head}, keyHeads, x.partial, stream);
}

}  // namespace

std::int64_t fav3Fp8Workspace(const AttentionProblem& p) {
    WorkspaceParts parts(nullptr);
    p.headDim <= 64 ? operandsOf<64>(parts, p) : operandsOf<128>(parts, p);
    return parts.bytes();
}

void fav3Fp8(const AttentionProblem& problem) {
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        WorkspaceParts parts(problem.workspace);
        const QuantisedOperands x = operandsOf<headDim>(parts, problem);
        quantise<Element, headDim>(problem, x);
        notePrepared(problem);
        // The rotation left both operands √size too long.
        launchFav3Quantised<Config<headDim>>(problem, x,
                                             problem.scale * kLog2E / static_cast<float>(rotationOf(problem)),
                                             kBlocks<headDim>.queries);
    });
}

}  // namespace reelgrid::kernels::cuda::device
