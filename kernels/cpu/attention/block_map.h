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

}  // namespace reelgrid::kernels::cpu
