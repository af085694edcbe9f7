#include "kernels/cuda/attention/quantise/method_parts.cuh"
#include "kernels/cuda/attention/quantise/quantise_classes.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

/// fav3_sage: a scale for a block of rows.
struct ByBlocks {
    static constexpr ScaleBlocks kBlocks = traitsOf(Method::Flash3Sage, 128).scaleBlocks;

    template <class Element, int kHeadDim>
    static void quantise(Int8Rows keys, std::int64_t keyHeads, Int8Rows queries, std::int64_t queryHeads,
                         cudaStream_t stream) {
        keys.scaleRows = kScaleGrain;
        quantiseRowsToInt8<Element, kHeadDim, kBlocks.keys, RowLayout::CoreMatrices>(keys, keyHeads, stream);
        queries.scaleRows = kBlocks.queries;
        quantiseRowsToInt8<Element, kHeadDim, kBlocks.queries, RowLayout::CoreMatrices>(queries, queryHeads,
                                                                                        stream);
    }
};

/// sagev2: one for each thread's rows.
struct ByClasses {
    static constexpr MethodTraits kTraits = traitsOf(Method::Sage2, 128);

    template <class Element, int kHeadDim>
    static void quantise(const Int8Rows& keys, std::int64_t keyHeads, const Int8Rows& queries,
                         std::int64_t queryHeads, cudaStream_t stream) {
        using Keys = RowClasses<kTraits.scaleBlocks.keys, kTraits.scaleClasses.keys>;
        using Queries = RowClasses<kTraits.scaleBlocks.queries, kTraits.scaleClasses.queries>;
        static_assert(Queries::kRows == kScaleGrain);
        quantiseRowsToInt8Classes<Element, kHeadDim, Keys>(keys, keyHeads, stream);
        quantiseRowsToInt8Classes<Element, kHeadDim, Queries>(queries, queryHeads, stream);
    }
};

template <class Element, int kHeadDim, class Scales>
void quantise(const AttentionProblem& p, const QuantisedOperands& x) {
    const auto stream = static_cast<cudaStream_t>(p.stream);
    const std::int64_t queryHeads = p.batch * p.queryHeads, keyHeads = p.batch * p.keyHeads;
    if (x.keyMeans != nullptr)
        meanOverTokens<Element, kHeadDim>(keyRows(p), p.sequence.keyMean, keyHeads, x.partial, x.keyMeans,
                                          stream);
    const Int8Rows keys{.source = keyRows(p),
                        .to = {reinterpret_cast<std::int8_t*>(x.k), x.keyRows, x.kScales},
                        .factor = 1.0F,
                        .mean = x.keyMeans};
    const Int8Rows queries{.source = queryRows(p),
                           .to = {reinterpret_cast<std::int8_t*>(x.q), x.queryRows, x.qScales},
                           .factor = p.scale * kLog2E,
                           .mean = nullptr,
                           .dotMean = x.keyMeans,
                           .dotHeads = static_cast<int>(p.queryHeads / p.keyHeads),
                           .dotScale = p.scale,
                           .dots = x.lseShifts};
    Scales::template quantise<Element, kHeadDim>(keys, keyHeads, queries, queryHeads, stream);
}

}  // namespace

QuantisedOperands operandsOf(Method method, WorkspaceParts& parts, const AttentionProblem& p, TileRows tile,
                             ValueBytes values) {
    const int headDim = static_cast<int>(p.headDim);
    const bool smooths = traitsOf(method, headDim).centresKeys && p.keySmoothing == KeySmoothing::Mean;
    return operandsIn(parts, p, tile, queryRowsOfEntry(method, headDim), keyRowsOfEntry(method, headDim),
                      slabsOf(p.keys), smooths ? Smooths::Yes : Smooths::No, values);
}

void quantiseInt8Rows(Method method, const AttentionProblem& problem, const QuantisedOperands& x) {
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        if (method == Method::Sage2)
            quantise<Element, headDim, ByClasses>(problem, x);
        else
            quantise<Element, headDim, ByBlocks>(problem, x);
    });
}

}  // namespace reelgrid::kernels::cuda::device
