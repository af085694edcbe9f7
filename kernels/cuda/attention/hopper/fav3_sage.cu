// fav3_sage: int8 Q and K around K's mean, e4m3 V with a scale a channel.

#include "kernels/cuda/attention/hopper/launch_fav3_quantised.cuh"
#include "kernels/cuda/attention/hopper/quantise_values.cuh"
#include "kernels/cuda/attention/quantise/quantise_rows.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr ScaleBlocks kBlocks = traitsOf(Method::Flash3Sage, 128).scaleBlocks;

template <int kHeadDim>
using Config = Fav3QuantisedConfig<ScoreBytes::Int8, kHeadDim>;

template <int kHeadDim>
QuantisedOperands operandsOf(WorkspaceParts& parts, const AttentionProblem& p) {
    using C = Config<kHeadDim>;
    return operandsIn(parts, p, {C::kQueries, C::kKeys}, kBlocks.queries, kScaleGrain, slabsOf(p.keys),
                      p.keySmoothing == KeySmoothing::Mean ? Smooths::Yes : Smooths::No);
}

template <class Element, int kHeadDim>
void quantise(const AttentionProblem& p, const QuantisedOperands& x) {
    const auto stream = static_cast<cudaStream_t>(p.stream);
    const std::int64_t queryHeads = p.batch * p.queryHeads, keyHeads = p.batch * p.keyHeads;
    if (x.keyMeans != nullptr)
        meanOverTokens<Element, kHeadDim>(keyRows(p), p.sequence.keyMean, keyHeads, x.partial, x.keyMeans,
                                          stream);
    const Int8Rows keys{.source = keyRows(p),
                        .to = {reinterpret_cast<std::int8_t*>(x.k), x.keyRows, x.kScales},
                        .scaleRows = kScaleGrain,
                        .factor = 1.0F,
                        .mean = x.keyMeans};
    quantiseRowsToInt8<Element, kHeadDim, kBlocks.keys, RowLayout::CoreMatrices>(keys, keyHeads, stream);
    const Int8Rows queries{.source = queryRows(p),
                           .to = {reinterpret_cast<std::int8_t*>(x.q), x.queryRows, x.qScales},
                           .scaleRows = kBlocks.queries,
                           .factor = p.scale * kLog2E,
                           .mean = nullptr,
                           .dotMean = x.keyMeans,
                           .dotHeads = static_cast<int>(p.queryHeads / p.keyHeads),
                           .dotScale = p.scale,
                           .dots = x.lseShifts};
    quantiseRowsToInt8<Element, kHeadDim, kBlocks.queries, RowLayout::CoreMatrices>(queries, queryHeads,
                                                                                    stream);
    quantiseValuesToE4m3<Element, kHeadDim>(valueRows(p), p.sequence.valueMaxima, {x.v, x.keyRows, x.vScales},
                                            {Share::Channel}, keyHeads, x.partial, stream);
}

}  // namespace

std::int64_t fav3SageWorkspace(const AttentionProblem& p) {
    WorkspaceParts parts(nullptr);
    p.headDim <= 64 ? operandsOf<64>(parts, p) : operandsOf<128>(parts, p);
    return parts.bytes();
}

void fav3Sage(const AttentionProblem& problem) {
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        WorkspaceParts parts(problem.workspace);
        const QuantisedOperands x = operandsOf<headDim>(parts, problem);
        quantise<Element, headDim>(problem, x);
        notePrepared(problem);
        launchFav3Quantised<Config<headDim>>(problem, x, 1.0F, kBlocks.queries);
    });
}

}  // namespace reelgrid::kernels::cuda::device
