#pragma once

#include "kernels/cuda/attention/hopper/fav3_quantised_kernel.cuh"
#include "kernels/cuda/attention/launch_attention.cuh"

namespace reelgrid::kernels::cuda::device {

/// Scores that share a factor are those of keys that never mix scales.
static_assert(kFactorColumns == kScaleGrain);

/// Queues the products over operands that are, or will be by then, in the workspace.
template <class Config>
void launchFav3Quantised(const AttentionProblem& p, const QuantisedOperands& operands, float scoreFactor,
                         int scaleQueries) {
    Fav3QuantisedCall call{.shape = shapeOf(p),
                           .operands = operands,
                           .scoreFactor = scoreFactor,
                           .scaleQueries = scaleQueries,
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

}  // namespace reelgrid::kernels::cuda::device
