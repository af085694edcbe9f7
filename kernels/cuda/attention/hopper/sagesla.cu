// sagesla: sla's map and linear branch, int8 Q and K around K's mean, e4m3 V with a scale a channel.

#include "kernels/cuda/attention/hopper/sagesla_kernel.cuh"
#include "kernels/cuda/attention/hopper/tensor_map.cuh"
#include "kernels/cuda/attention/quantise/quantise_rows.cuh"
#include "kernels/cuda/attention/quantise/quantise_values.cuh"
#include "kernels/cuda/attention/sla/sla_parts.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr MethodTraits kTraits = traitsOf(Method::SageSparseLinear, 128);

/// sla's parts of the workspace, then the quantised operands.
struct SageslaParts {
    SlaParts sla;
    QuantisedOperands operands;
    std::int64_t bytes;

    explicit SageslaParts(const AttentionProblem& p) : sla(p, kTraits.sparse) {
        WorkspaceParts rest(p.workspace == nullptr ? nullptr : static_cast<char*>(p.workspace) + sla.bytes);
        operands = operandsIn(rest, p, {kTraits.sparse.queries, kTraits.sparse.keys},
                              kTraits.scaleBlocks.queries, kTraits.scaleBlocks.keys, slabsOf(p.keys),
                              p.keySmoothing == KeySmoothing::Mean ? Smooths::Yes : Smooths::No);
        bytes = sla.bytes + rest.bytes();
    }
};

template <class Element, int kHeadDim>
void quantise(const AttentionProblem& p, const SageslaParts& parts) {
    const auto stream = static_cast<cudaStream_t>(p.stream);
    const QuantisedOperands& x = parts.operands;
    const std::int64_t queryHeads = p.batch * p.queryHeads, keyHeads = p.batch * p.keyHeads;
    if (x.keyMeans != nullptr) {
        meansOfSlabs<kHeadDim><<<rowBlocks(keyHeads), 1024, 0, stream>>>(
            parts.sla.keySums, parts.sla.runs, static_cast<int>(p.keys), x.keyMeans);
        checkLaunch("the mean of the keys");
    }
    const Int8Rows keys{.source = keyRows(p),
                        .to = {reinterpret_cast<std::int8_t*>(x.k), x.keyRows, x.kScales},
                        .scaleRows = kTraits.scaleBlocks.keys,
                        .factor = 1.0F,
                        .mean = x.keyMeans};
    quantiseRowsToInt8<Element, kHeadDim, kTraits.scaleBlocks.keys, RowLayout::CoreMatrices>(keys, keyHeads,
                                                                                             stream);
    const Int8Rows queries{.source = queryRows(p),
                           .to = {reinterpret_cast<std::int8_t*>(x.q), x.queryRows, x.qScales},
                           .scaleRows = kTraits.scaleBlocks.queries,
                           .factor = p.scale * kLog2E,
                           .mean = nullptr};
    quantiseRowsToInt8<Element, kHeadDim, kTraits.scaleBlocks.queries, RowLayout::CoreMatrices>(
        queries, queryHeads, stream);
    quantiseValuesToE4m3<Element, kHeadDim>(valueRows(p), nullptr, {x.v, x.keyRows, x.vScales},
                                            {Share::Channel, kTraits.largestValue}, keyHeads, x.partial,
                                            stream);
}

template <int kHeadDim, Branch kBranch>
void attendToChosen(const AttentionProblem& p, const SageslaParts& parts) {
    using Config = SageslaConfig<kHeadDim, kBranch>;
    const Strides matrixStrides{
        .batch = p.keyHeads * 2 * kHeadDim * kHeadDim, .head = 2 * kHeadDim * kHeadDim, .token = kHeadDim};
    const auto matrixMap =
        kBranch == Branch::None
            ? CUtensorMap{}
            : tensorMap(DataType::BFloat16,
                        {parts.sla.matrices, kHeadDim, 2 * kHeadDim, p.keyHeads, p.batch, matrixStrides},
                        Config::kMatrixRows);
    SageslaCall call{.shape = shapeOf(p),
                     .operands = parts.operands,
                     .q = p.q,
                     .qStrides = p.qStrides,
                     .type = p.type,
                     .queryTiles = parts.sla.queryBlocks,
                     .tiles = 0,
                     .count = parts.sla.count,
                     .chosen = parts.sla.chosen,
                     .featureSums = parts.sla.featureSums,
                     .bias = p.sparseLinear.bias,
                     .zero = 0};
    call.shape.scale = 1.0F;
    call.tiles = static_cast<int>(blocksOf(call.queryTiles * p.queryHeads * p.batch));
    constexpr int kSharedBytes =
        Config::kStreams * sizeof(Fav3QuantisedShared<Config>) + 1024;  // to begin at a multiple of 1024
    const auto kernel = &sageslaKernel<Config>;
    allowShared(kernel, kSharedBytes);
    const int blocks = std::min(tilesOf(call.tiles, Config::kStreams), processors());
    kernel<<<blocks, Config::kThreads, kSharedBytes, static_cast<cudaStream_t>(p.stream)>>>(matrixMap, call);
    checkLaunch("sagesla");
}

}  // namespace

std::int64_t sageslaWorkspace(const AttentionProblem& problem) {
    return SageslaParts(problem).bytes;
}

void sagesla(const AttentionProblem& problem) {
    const SageslaParts parts(problem);
    prepareSla(problem, parts.sla);
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        quantise<Element, headDim>(problem, parts);
        notePrepared(problem);
        withBranch(problem, [&](auto branch) { attendToChosen<headDim, branch>(problem, parts); });
    });
}

}  // namespace reelgrid::kernels::cuda::device
