#pragma once

#include "kernels/attention/problem.h"
#include "kernels/cuda/attention/workspace_parts.h"

namespace reelgrid::kernels::cuda::device {

/// Rows of Q and of K that a kernel takes at a time.
struct TileRows {
    int queries, keys;
};

/// Q, K and V of a call as bytes, in its workspace. Rows are filled up to whole tiles.
struct QuantisedOperands {
    int queryRows, keyRows, headDim;  ///< 64 or 128
    std::uint8_t* q;                  ///< [B Hq][queryRows][D], core matrices (quantise_rows.cuh)
    std::uint8_t* k;                  ///< [B Hkv][keyRows][D], core matrices
    std::uint8_t* v;   ///< [B Hkv][keyRows / 16][D][16] (quantise_values.cuh); null where it stays as it came
    float* qScales;    ///< [B Hq][queryRows / scaleRows, rounded up]; of classes: quantise_classes.cuh
    float* kScales;    ///< [B Hkv][keyRows / kScaleGrain], times classes
    float* vScales;    ///< [B Hkv][D]
    float* keyMeans;   ///< [B Hkv][D]; null where keys are not smoothed
    float* lseShifts;  ///< [B Hq][Nq]; null where there are none
    float* partial;    ///< [B Hkv][slabs][D]
};

enum class Smooths { Yes, No };

/// Whether V is rounded, too, or read by the products as it came.
enum class ValueBytes { E4m3, AsTheyCame };

/// Lays them out.
inline QuantisedOperands operandsIn(WorkspaceParts& parts, const AttentionProblem& p, TileRows tile,
                                    int scaleQueries, int scaleGrain, int slabs, Smooths smooths,
                                    ValueBytes values = ValueBytes::E4m3) {
    const auto wholeTiles = [](std::int64_t rows, int each) {
        return static_cast<int>((rows + each - 1) / each * each);
    };
    const std::int64_t queryHeads = p.batch * p.queryHeads, keyHeads = p.batch * p.keyHeads;
    QuantisedOperands x{};
    x.queryRows = wholeTiles(p.queries, tile.queries);
    x.keyRows = wholeTiles(p.keys, tile.keys);
    x.headDim = p.headDim <= 64 ? 64 : 128;
    x.q = parts.take<std::uint8_t>(queryHeads * x.queryRows * x.headDim);
    x.k = parts.take<std::uint8_t>(keyHeads * x.keyRows * x.headDim);
    if (values == ValueBytes::E4m3) x.v = parts.take<std::uint8_t>(keyHeads * x.keyRows * x.headDim);
    x.qScales = parts.take<float>(queryHeads * ((x.queryRows + scaleQueries - 1) / scaleQueries));
    x.kScales = parts.take<float>(keyHeads * ((x.keyRows + scaleGrain - 1) / scaleGrain));
    x.vScales = parts.take<float>(keyHeads * x.headDim);
    x.partial = parts.take<float>(keyHeads * slabs * x.headDim);
    if (smooths == Smooths::Yes) {
        x.keyMeans = parts.take<float>(keyHeads * x.headDim);
        if (p.lse != nullptr) x.lseShifts = parts.take<float>(queryHeads * p.queries);
    }
    return x;
}

}  // namespace reelgrid::kernels::cuda::device
