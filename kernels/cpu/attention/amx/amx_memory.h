#pragma once

// What AmxTile works in and what it keeps. Included by attention_amx.cpp only.

#include "kernels/cpu/attention/amx/amx_rows.h"

namespace reelgrid::kernels::cpu {
namespace {

constexpr int kAmxQueries = 32;
constexpr int kAmxKeys = 32;

/// What several tiles of queries, one after the other, work in.
struct AmxScratch {
    static constexpr int kMostBlocks = 6;  // of a turn
    alignas(64) float scores[kMostBlocks][kAmxQueries * kAmxKeys];
    alignas(64) std::uint32_t weights[2][kMostBlocks][2 * kTileUnits];
    alignas(64) float turnSums[kAmxQueries][16];
    /// Of the blocks that are weighed together: what weights are relative to, as FullWeights or ShortWeights
    /// have it, and what scores are worth.
    alignas(64) float shifts[2][kAmxQueries];
    alignas(64) float factors[2];
    alignas(64) float raised[kAmxQueries][16];
    alignas(64) float rows[2][kMaxHeadDim];
};

/// What a tile of queries keeps while it walks the keys.
struct AmxState {
    alignas(64) std::uint32_t queries[kAmxQueries * kMaxHeadDim / 2];
    alignas(64) float out[kAmxQueries * kMaxHeadDim];
    alignas(64) float sums[2][kAmxQueries][16];  ///< one of them as a turn finds it, one as it leaves it
    /// What weights are relative to, in powers of two; −inf before a query has seen a key.
    alignas(64) float bases[kAmxQueries];
    alignas(64) float shifts[kAmxQueries];  ///< the base, or 0
    alignas(64) float rescales[kAmxQueries];
    float lseShifts[kAmxQueries];
    std::int32_t limits[kAmxQueries];  ///< last key that a query sees
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
