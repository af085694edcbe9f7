#pragma once

// Which blocks of keys each tile of queries attends to, as the kernels of sparse methods read it.

#include <cstdint>

#include "kernels/attention/problem.h"

namespace reelgrid::kernels::cuda::device {

/// Tiles are counted over [batch][query heads][blocks of queries]; a tile has one block at least.
struct KeptBlocks {
    const std::int32_t* blocks = nullptr;  ///< [rows][pitch], of each row as many as it counts, ascending
    const std::int32_t* counts = nullptr;  ///< [rows]; null: every row has `pitch`
    int pitch = 0;
    int rows = 0;  ///< after so many tiles the first row serves again: all heads share a map; 0: never

    __device__ int rowOf(int tile) const { return rows == 0 ? tile : tile % rows; }
    __device__ int countOf(int tile) const { return counts == nullptr ? pitch : __ldg(counts + rowOf(tile)); }
    __device__ const std::int32_t* blocksOf(int tile) const {
        return blocks + static_cast<std::int64_t>(rowOf(tile)) * pitch;
    }
};

/// Where the output of a query lies, whose tokens came in another order.
struct PlacesInOrder {
    const std::int32_t* order = nullptr;  ///< [queries]; null: the same

    __device__ int operator()(int query) const { return order == nullptr ? query : __ldg(order + query); }
};

/// Exact attention of blocks of kSparseQueries queries to the blocks of kSparseKeys keys that are kept. By
/// wgmma on Hopper, or by mma on any GPU since Ampere. Head dims to 128.
void attendToKeptHopper(const AttentionProblem& problem, const KeptBlocks& kept, const PlacesInOrder& places);
void attendToKeptMma(const AttentionProblem& problem, const KeptBlocks& kept, const PlacesInOrder& places);

}  // namespace reelgrid::kernels::cuda::device
