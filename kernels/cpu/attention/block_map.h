#pragma once

#include <cstdint>

namespace reelgrid::kernels::cpu {

/// Key blocks that each block of queries attends to: ratio · keyBlocks rounded down, but at least 1 (upstream
/// leaves none below 1 / ratio blocks).
std::int64_t chosenBlocks(double ratio, std::int64_t keyBlocks);

/// The `count` key blocks whose mean key scores highest against one mean query, ascending, into `chosen`.
/// Scores are unscaled products (SLA/utils.py's get_block_map); of equal ones the lowest block wins, and a
/// NaN counts as the highest, so that it is seen in the output.
/// dim: a multiple of 4. meanKeys: [dim][keyBlocks]; scores and order: [keyBlocks] to work in.
void chooseBlocks(const float* meanQuery, const float* meanKeys, std::int64_t keyBlocks, int dim,
                  std::int64_t count, float* scores, std::int32_t* order, std::int32_t* chosen);

/// Of a head's blocks of keys, what prediction needs.
struct PredictedKeys {
    const float* means;      ///< [dim][blocks], centred
    const double* likeness;  ///< [blocks] mean cosine of all pairs of a block's rows
    double similarity;       ///< above which a mean stands for its block
    std::int64_t blocks;
};

/// Those that one block of queries attends to, ascending, into `chosen` [blocks]; how many. Source:
/// SpargeAttention's get_block_map_meansim: softmax of the means' scaled products, the highest first while
/// their sum isn't above `cdf`, at least one, and each block that isn't alike; all where the queries aren't.
/// A NaN counts as the highest. `scores` and `order`: [blocks] to work in.
std::int64_t predictBlocks(const float* meanQuery, bool areQueriesAlike, const PredictedKeys& keys, int dim,
                           float scale, double cdf, float* scores, std::int32_t* order, std::int32_t* chosen);

}  // namespace reelgrid::kernels::cpu
