#pragma once

#include <cstdint>

#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"
#include "kernels/cpu/attention/tile_kernels.h"

namespace reelgrid::kernels::cpu {

/// What is decided before a call runs: its kernels and how the problem is cut. Key heads are packed a group
/// at a time, in blocks of keys; the queries of each head are cut into spans, and those into tiles.
struct CallPlan {
    CallPlan(Method method, const AttentionProblem& problem);

    const AttentionProblem& problem;
    MethodTraits traits;
    TileKernels kernels;
    const float* signs = nullptr;  ///< of fav3_fp8's rotation
    int threads;
    int paddedDim;
    std::int64_t headsPerKeyHead;  ///< query heads that share a key head
    /// Whole heads at a time, nothing packed: an exact method over a short sequence.
    bool isShort;
    /// Each thread packs one key head after another into memory of its own, which stays in its cache.
    bool headByHead;
    std::int64_t group;  ///< key heads per round, or as many as there are threads
    // Keys and values, per head:
    std::int64_t blocks;
    std::int64_t keyBlockUnits;
    std::int64_t valueBlockUnits;
    // Scales, per head; 0 for methods without:
    std::int64_t queryScales = 0;   ///< blocks of queries that are scaled
    std::int64_t queryEntries = 0;  ///< entries of their scales: as many, or one per query
    std::int64_t keyScales = 0;
    std::int64_t keyGrain = 0;   ///< keys in a row that share an entry of the key scales
    std::int64_t keyGrains = 0;  ///< those entries
    // Queries, per head:
    std::int64_t spanQueries;  ///< that a tile must not reach beyond: all, or a block of sla's
    std::int64_t spans;
    std::int64_t spanTiles;
    int tileQueries;
};

}  // namespace reelgrid::kernels::cpu
