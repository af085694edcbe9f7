#pragma once

// How a method packs Q and K and what a score is worth. Included by the sources of the instruction sets only
// (see attention_tile.h). `Arithmetic` decides what a unit holds.

#include <cstring>

#include "kernels/cpu/attention/tiles/row_arithmetic.h"

namespace reelgrid::kernels::cpu {

/// Encodes a block of keys with `encode(row, wide, units)`, `wide` being room for a row; rows that don't
/// exist become zeros up to the next panel of kRows. Laid out as the products read them: [kBlockKeys /
/// kRows][steps][kRows].
template <class Isa, class Encode>
inline void packRows(const PackArgs& args, int dimsPerUnit, Encode encode) {
    const int steps = args.paddedDim / dimsPerUnit;
    float* wide = args.scratch;
    auto* rows = reinterpret_cast<std::uint32_t*>(args.scratch + kMaxHeadDim);
    for (int first = 0; first < args.count; first += Isa::kRows) {
        std::uint32_t* panel = args.units + first * steps;
        for (int r = 0; r < Isa::kRows; ++r) {
            if (first + r < args.count)
                encode(first + r, wide, rows + r * steps);
            else
                std::memset(rows + r * steps, 0, static_cast<std::size_t>(steps) * 4);
        }
        Isa::template transpose<Isa::kRows>(rows, steps, steps, panel, Isa::kRows);
    }
}

/// The largest |x| of rows that `prepare(row, wide)` makes, or NaN when there is a NaN or an infinity.
template <class Isa, class Prepare>
inline float largestOfRows(const RowArgs& args, Prepare prepare) {
    LargestMagnitude<Isa> largest;
    for (int r = 0; r < args.count; ++r) {
        prepare(r, args.scratch);
        largest.see(args.scratch, args.paddedDim);
    }
    return largest.result();
}

/// Q and K as they come (fav2).
template <class Isa, class Arithmetic>
struct PlainScores {
    using Dot = typename Arithmetic::Dot;
    static constexpr int kDimsPerUnit = Arithmetic::kPerUnit;
    static constexpr bool kScaled = false;
    static constexpr bool kCentred = false;
    static constexpr bool kLastFirst = false;
    static constexpr bool kSparse = false;
    static constexpr bool kSkipsFaint = false;
    /// Blocks per turn of the online softmax: more turns rescale Oᵀ more often, longer ones leave the L1
    /// cache.
    static constexpr int kTurnBlocks = 2;

    static void packKeys(const PackArgs& args) {
        packRows<Isa>(args, kDimsPerUnit, [&](int row, float* wide, std::uint32_t* units) {
            widenRow<Isa>(args, row, wide);
            Arithmetic::encodeRow(wide, args.paddedDim, units);
        });
    }

    static void encodeQuery(const TileArgs& args, float* wide, int /*query*/, std::uint32_t* units) {
        Arithmetic::encodeRow(wide, args.paddedDim, units);
    }

    static typename Isa::Float toFloat(typename Dot::Sum sum) { return sum; }
    static typename Dot::Sum start(const TileArgs& /*args*/, std::int64_t /*key*/) { return Dot::start(0); }
};

/// fav3: the same products, 192 keys a turn and the turns walked from the last to the first.
template <class Isa, class Arithmetic>
struct LastFirstScores : PlainScores<Isa, Arithmetic> {
    static constexpr bool kLastFirst = true;
    static constexpr int kTurnBlocks = 3;
};

/// sla: the same products over the chosen blocks only.
template <class Isa, class Arithmetic>
struct SparseScores : PlainScores<Isa, Arithmetic> {
    static constexpr bool kSparse = true;
};

/// sparge: likewise, and what hardly weighs is left out a block at a time.
template <class Isa, class Arithmetic>
struct PredictedScores : SparseScores<Isa, Arithmetic> {
    static constexpr bool kSkipsFaint = true;
    static constexpr int kTurnBlocks = 1;
};

/// sagev1 and fav3_sage: K minus its mean and Q · scale · log2e as integers with a scale a block; sagev2:
/// likewise, with a scale for every `KeyGrain` = 1 key.
template <class Isa, class Arithmetic, int KeyGrain = kScaleGrain>
struct CentredInt8Scores {
    static constexpr int kKeyGrain = KeyGrain;
    using Dot = typename Arithmetic::Dot;
    static constexpr int kDimsPerUnit = Arithmetic::kPerUnit;
    static constexpr bool kScaled = true;
    static constexpr bool kCentred = true;
    static constexpr bool kLastFirst = false;
    static constexpr bool kSparse = false;
    static constexpr bool kSkipsFaint = false;
    static constexpr int kTurnBlocks = 2;

    /// Rounds half away from zero. A block of zeros has scale 0 and stays zeros.
    static void quantise(const float* x, int n, float scale, std::int32_t* integers) {
        if (!(scale > 0) || scale > 3.0e38F) {
            for (int i = 0; i < n; ++i) integers[i] = 0;
            return;
        }
        for (int i = 0; i < n; ++i) {
            const float t = x[i] / scale;
            integers[i] = static_cast<std::int32_t>(t + (t < 0 ? -0.5F : 0.5F));
        }
    }

    static void centredRow(const RowArgs& args, int row, float* wide) {
        widenRow<Isa>(args, row, wide);
        if (args.mean != nullptr)
            for (int d = 0; d < args.paddedDim; ++d) wide[d] -= args.mean[d];
    }

    static void packKeys(const PackArgs& args) {
        for (int r = args.count; r % Isa::kRows != 0; ++r) args.dotStarts[r] = 0;
        packRows<Isa>(args, kDimsPerUnit, [&](int row, float* wide, std::uint32_t* units) {
            std::int32_t integers[kMaxHeadDim];
            centredRow(args, row, wide);
            quantise(wide, args.paddedDim, args.scales[row / kKeyGrain], integers);
            args.dotStarts[row] = Arithmetic::encodeKey(integers, args.paddedDim, units);
        });
    }

    static void encodeQuery(const TileArgs& args, float* wide, int query, std::uint32_t* units) {
        const float factor = args.scale * kLog2E;
        for (int d = 0; d < args.paddedDim; ++d) wide[d] *= factor;
        std::int32_t integers[kMaxHeadDim];
        quantise(wide, args.paddedDim, args.queryScales[(args.firstQuery + query) / args.scaleQueries],
                 integers);
        Arithmetic::encodeQuery(integers, args.paddedDim, units);
    }
    static float scoreScale(const TileArgs& /*args*/, float queryScale) { return queryScale; }

    /// The rows' own maximum times the factor: rounding keeps the order, so this is the maximum of the
    /// products.
    static float scaleOfRows(const RowArgs& args, float factor) {
        const auto prepare = [&](int row, float* wide) { centredRow(args, row, wide); };
        return largestOfRows<Isa>(args, prepare) * factor / kLargestInt8;
    }

    static typename Isa::Float toFloat(typename Dot::Sum sum) { return Dot::toFloat(sum); }
    static typename Dot::Sum start(const TileArgs& args, std::int64_t key) {
        return Dot::start(args.dotStarts[key]);
    }
};

/// sagesla: the same over the chosen blocks only.
template <class Isa, class Arithmetic>
struct SparseInt8Scores : CentredInt8Scores<Isa, Arithmetic> {
    static constexpr bool kSparse = true;
};

/// fav3_fp8: Q and K rotated, then e4m3 with a scale a block. `Arithmetic` holds every e4m3 value exactly.
template <class Isa, class Arithmetic>
struct RotatedE4m3Scores {
    static constexpr int kKeyGrain = kScaleGrain;
    using Dot = typename Arithmetic::Dot;
    static constexpr int kDimsPerUnit = Arithmetic::kPerUnit;
    static constexpr bool kScaled = true;
    static constexpr bool kCentred = false;
    static constexpr bool kLastFirst = true;
    static constexpr bool kSparse = false;
    static constexpr bool kSkipsFaint = false;
    static constexpr int kTurnBlocks = 3;

    static void quantise(float* x, int n, float scale) {
        if (scale == 0) {
            for (int i = 0; i < n; ++i) x[i] = 0;
            return;
        }
        for (int i = 0; i < n; ++i) x[i] /= scale;
        for (int i = 0; i < n; i += Isa::kLanes)
            Isa::storeFloat(x + i, roundE4m3<Isa>(Isa::loadFloat(x + i)));
    }

    static void rotatedRow(const RowArgs& args, int row, float* wide) {
        widenRow<Isa>(args, row, wide);
        rotateRow<Isa>(wide, args.signs, args.paddedDim);
    }

    static void packKeys(const PackArgs& args) {
        packRows<Isa>(args, kDimsPerUnit, [&](int row, float* wide, std::uint32_t* units) {
            rotatedRow(args, row, wide);
            quantise(wide, args.paddedDim, args.scales[row / kKeyGrain]);
            Arithmetic::encodeRow(wide, args.paddedDim, units);
        });
    }

    static void encodeQuery(const TileArgs& args, float* wide, int query, std::uint32_t* units) {
        rotateRow<Isa>(wide, args.signs, args.paddedDim);
        quantise(wide, args.paddedDim, args.queryScales[(args.firstQuery + query) / args.scaleQueries]);
        Arithmetic::encodeRow(wide, args.paddedDim, units);
    }
    /// The rotation left both operands √paddedDim too long.
    static float scoreScale(const TileArgs& args, float queryScale) {
        return queryScale * (args.scale * kLog2E / static_cast<float>(args.paddedDim));
    }

    static float scaleOfRows(const RowArgs& args, float /*factor*/) {
        const auto prepare = [&](int row, float* wide) { rotatedRow(args, row, wide); };
        return largestOfRows<Isa>(args, prepare) / kLargestE4m3;
    }

    static typename Isa::Float toFloat(typename Dot::Sum sum) { return sum; }
    static typename Dot::Sum start(const TileArgs& /*args*/, std::int64_t /*key*/) { return Dot::start(0); }
};

}  // namespace reelgrid::kernels::cpu
