#pragma once

#include "kernels/cuda/attention/hopper/fav3_quantised_kernel.cuh"
#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/attention/quantise/method_parts.cuh"

namespace reelgrid::kernels::cuda::device {

/// Scores that share a factor are those of keys that never mix scales.
static_assert(kFactorColumns == kScaleGrain);

template <Method kMethod, int kHeadDim>
constexpr TileRows kFav3QuantisedTile{Fav3QuantisedConfig<kMethod, kHeadDim>::kQueries,
                                      Fav3QuantisedConfig<kMethod, kHeadDim>::kKeys};

/// Calls `with` with the head dim that the kernel pads to and the operands' places in the workspace.
template <Method kMethod, class Function>
void withOperands(const AttentionProblem& problem, Function&& with) {
    WorkspaceParts parts(problem.workspace);
    const auto withHeadDim = [&](auto headDim) {
        with(headDim,
             operandsOf(kMethod, parts, problem, kFav3QuantisedTile<kMethod, headDim>, ValueBytes::E4m3));
    };
    if (problem.headDim <= 64)
        withHeadDim(std::integral_constant<int, 64>());
    else
        withHeadDim(std::integral_constant<int, 128>());
}

template <Method kMethod>
std::int64_t fav3QuantisedWorkspace(const AttentionProblem& problem) {
    return operandBytes(
        kMethod, problem,
        problem.headDim <= 64 ? kFav3QuantisedTile<kMethod, 64> : kFav3QuantisedTile<kMethod, 128>,
        ValueBytes::E4m3);
}

/// Queues the products over operands that are, or will be by then, in the workspace.
template <Method kMethod, int kHeadDim>
void launchFav3Quantised(const AttentionProblem& p, const QuantisedOperands& operands, float scoreFactor) {
    using Config = Fav3QuantisedConfig<kMethod, kHeadDim>;
    Fav3QuantisedCall call{.shape = shapeOf(p),
                           .operands = operands,
                           .scoreFactor = scoreFactor,
                           .scaleQueries = queryRowsOfEntry(kMethod, kHeadDim),
                           .outType = p.type,
                           .zero = 0,
                           .queryTiles = tilesOf(p.queries, Config::kQueries),
                           .tiles = 0};
    call.shape.scale = 1.0F;
    call.tiles = static_cast<int>(blocksOf(call.queryTiles * p.queryHeads * p.batch));
    constexpr int kSharedBytes = sizeof(Fav3QuantisedShared<Config>);
    const auto kernel = &fav3QuantisedKernel<Config>;
    allowShared(kernel, kSharedBytes);
    const int blocks = std::min(call.tiles, processors());
    kernel<<<blocks, Config::kThreads, kSharedBytes, static_cast<cudaStream_t>(p.stream)>>>(call);
    checkLaunch("of quantised attention");
}

/// A method with int8 scores: fav3_sage or sagev2.
template <Method kMethod>
void attendInt8(const AttentionProblem& problem) {
    withOperands<kMethod>(problem, [&](auto headDim, const QuantisedOperands& x) {
        quantiseInt8Rows(kMethod, problem, x);
        quantiseValues(kMethod, problem, x);
        notePrepared(problem);
        launchFav3Quantised<kMethod, headDim>(problem, x, 1.0F);
    });
}

}  // namespace reelgrid::kernels::cuda::device
