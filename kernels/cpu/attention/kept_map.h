#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"

namespace reelgrid::kernels::cpu {

/// Which blocks of keys each block of queries attends to, head by head.
struct KeptMap {
    SparseBlocks blocks;             ///< tokens in a block
    std::int64_t heads = 0;          ///< query heads over the whole batch
    std::int64_t rows = 0;           ///< blocks of queries
    std::int64_t columns = 0;        ///< blocks of keys
    std::vector<std::uint8_t> kept;  ///< [heads][rows][columns], 1 or 0
    /// Which token of the problem is the n-th of the map's; empty: the same one.
    std::vector<std::int32_t> order;

    [[nodiscard]] const std::uint8_t* of(std::int64_t head) const {
        return kept.data() + head * rows * columns;
    }
    /// Of a head's pairs of blocks.
    [[nodiscard]] double keptShare(std::int64_t head) const;
};

/// The map that attend() makes of the same problem on the same processor, without attending: V and the output
/// aren't looked at. The method is sparse, and whyNot() has nothing against the problem.
KeptMap keptMapOf(Method method, const AttentionProblem& problem);

}  // namespace reelgrid::kernels::cpu
