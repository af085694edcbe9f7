#pragma once

// The attention algorithm, written once and compiled by each instruction set's source with its own flags.
// Included by those sources only. `Isa` (lanes_*.h) is a type of an anonymous namespace there, so that every
// instantiation stays local to its source: the linker must never run one machine's code on another. For the
// same reason no templates of the standard library are used here.
//
// Names: Sᵀ is [keys, lanes], P (same shape) is packed in units along keys, Oᵀ is [head dim, lanes].

#include <math.h>

#include <cstring>

#include "kernels/cpu/tile_kernels.h"

namespace reelgrid::kernels::cpu {

/// acc[Rows][Cols] += broadcast(a[step][row]) · b[step][lanes of col]: the inner loop of both products.
template <class Isa, class Dot, int Cols>
inline void multiply(const std::uint32_t* a, const std::uint32_t* b, int steps,
                     typename Dot::Sum (&acc)[Isa::kRows][Cols]) {
    for (int step = 0; step < steps; ++step) {
        typename Isa::Int lanes[Cols];
#pragma GCC unroll 8
        for (int c = 0; c < Cols; ++c) lanes[c] = Isa::load(b + c * Isa::kLanes);
#pragma GCC unroll 8
        for (int r = 0; r < Isa::kRows; ++r) {
            const typename Isa::Int one = Isa::broadcast(a + r);
#pragma GCC unroll 8
            for (int c = 0; c < Cols; ++c) acc[r][c] = Dot::add(acc[r][c], lanes[c], one);
        }
        a += Isa::kRows;
        b += Cols * Isa::kLanes;
    }
}

/// Row `index` of the rows to pack, widened and padded with zeros to paddedDim.
template <class Isa>
inline void widenRow(DataType type, const void* rows, std::int64_t stride, int index, int dim, int paddedDim,
                     float* wide) {
    const char* row = static_cast<const char*>(rows) + index * stride * sizeOf(type);
    Isa::widen(type, row, dim, wide);
    for (int d = dim; d < paddedDim; ++d) wide[d] = 0;
}

/// Q and K as they come (fav2). Pv decides what a unit is, so that both products use one arithmetic.
template <class Isa, class Arithmetic>
struct PlainScores {
    using Dot = typename Arithmetic::Dot;
    static constexpr int kDimsPerUnit = Arithmetic::kPerUnit;
    static constexpr bool kQuantised = false;
    static constexpr bool kLastFirst = false;
    /// Blocks per turn of the online softmax: more turns rescale Oᵀ more often, longer ones leave the L1
    /// cache.
    static constexpr int kTurnBlocks = Isa::kTurnBlocks;

    static void packKeys(const PackArgs& args) {
        const int steps = args.paddedDim / kDimsPerUnit;
        float* wide = args.scratch;
        auto* rows = reinterpret_cast<std::uint32_t*>(args.scratch + kMaxHeadDim);
        for (int first = 0; first < kBlockKeys; first += Isa::kRows) {
            for (int r = 0; r < Isa::kRows; ++r) {
                if (first + r < args.count) {
                    widenRow<Isa>(args.type, args.rows, args.rowStride, first + r, args.dim, args.paddedDim,
                                  wide);
                    Arithmetic::encodeRow(wide, args.paddedDim, rows + r * steps);
                } else {
                    std::memset(rows + r * steps, 0, static_cast<std::size_t>(steps) * 4);
                }
            }
            Isa::template transpose<Isa::kRows>(rows, steps, steps, args.units + first * steps, Isa::kRows);
        }
    }

    static void encodeQuery(const TileArgs& args, float* wide, int /*query*/, std::uint32_t* units) {
        Arithmetic::encodeRow(wide, args.paddedDim, units);
    }
};

/// fav3: the same products, 192 keys a turn and the turns walked from the last to the first.
template <class Isa, class Arithmetic>
struct LastFirstScores : PlainScores<Isa, Arithmetic> {
    static constexpr bool kLastFirst = true;
    static constexpr int kTurnBlocks = 3;
};

/// sagev1: K minus its mean and Q · scale · log2e as per-block integers.
template <class Isa, class Arithmetic>
struct QuantisedScores {
    using Dot = typename Arithmetic::Dot;
    static constexpr int kDimsPerUnit = Arithmetic::kPerUnit;
    static constexpr bool kQuantised = true;
    static constexpr bool kLastFirst = false;
    static constexpr int kTurnBlocks = Isa::kTurnBlocks;

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

    /// max |x|, or NaN when there is a NaN or an infinity.
    static float largestOf(const float* x, int n) {
        using F = typename Isa::Float;
        F largest = Isa::set1(0);
        F probe = Isa::set1(0);  // becomes NaN with the first NaN or infinity
        for (int i = 0; i < n; i += Isa::kLanes) {
            const F value = Isa::loadFloat(x + i);
            largest = Isa::max(largest, Isa::abs(value));
            probe = Isa::fma(value, Isa::set1(0), probe);
        }
        float lanes[Isa::kLanes];
        float probes[Isa::kLanes];
        Isa::storeFloat(lanes, largest);
        Isa::storeFloat(probes, probe);
        float result = 0;
        float nan = 0;
        for (int i = 0; i < Isa::kLanes; ++i) {
            if (lanes[i] > result) result = lanes[i];
            nan += probes[i];
        }
        return result + nan;
    }

    static void packKeys(const PackArgs& args) {
        const int steps = args.paddedDim / kDimsPerUnit;
        float* centred = args.scratch;
        auto* rows = reinterpret_cast<std::uint32_t*>(args.scratch + kBlockKeys * kMaxHeadDim);
        for (int r = 0; r < args.count; ++r) {
            float* wide = centred + r * args.paddedDim;
            widenRow<Isa>(args.type, args.rows, args.rowStride, r, args.dim, args.paddedDim, wide);
            for (int d = 0; d < args.paddedDim; ++d) wide[d] -= args.mean[d];
        }
        *args.scale = largestOf(centred, args.count * args.paddedDim) / 127.0F;
        for (int first = 0; first < kBlockKeys; first += Isa::kRows) {
            for (int r = 0; r < Isa::kRows; ++r) {
                std::uint32_t* units = rows + r * steps;
                args.bias[first + r] = 0;
                if (first + r < args.count) {
                    std::int32_t integers[kMaxHeadDim];
                    quantise(centred + (first + r) * args.paddedDim, args.paddedDim, *args.scale, integers);
                    args.bias[first + r] = Arithmetic::encodeKey(integers, args.paddedDim, units);
                } else {
                    std::memset(units, 0, static_cast<std::size_t>(steps) * 4);
                }
            }
            Isa::template transpose<Isa::kRows>(rows, steps, steps, args.units + first * steps, Isa::kRows);
        }
    }

    static void encodeQuery(const TileArgs& args, float* wide, int query, std::uint32_t* units) {
        const float factor = args.scale * kLog2E;
        for (int d = 0; d < args.paddedDim; ++d) wide[d] *= factor;
        std::int32_t integers[kMaxHeadDim];
        quantise(wide, args.paddedDim, args.queryScales[(args.firstQuery + query) / kScaleQueries], integers);
        Arithmetic::encodeQuery(integers, args.paddedDim, units);
    }

    static void sumRows(const PackArgs& args, float* sums) {
        for (int d = 0; d < args.paddedDim; ++d) sums[d] = 0;
        for (int r = 0; r < args.count; ++r) {
            widenRow<Isa>(args.type, args.rows, args.rowStride, r, args.dim, args.paddedDim, args.scratch);
            for (int d = 0; d < args.paddedDim; ++d) sums[d] += args.scratch[d];
        }
    }

    /// The rows' own maximum times the factor: rounding keeps the order, so this is the maximum of the
    /// products.
    static float scaleOfRows(const PackArgs& args, float factor) {
        float scale = 0;
        for (int first = 0; first < args.count; first += kBlockKeys) {
            const int rows = args.count - first < kBlockKeys ? args.count - first : kBlockKeys;
            for (int r = 0; r < rows; ++r)
                widenRow<Isa>(args.type, args.rows, args.rowStride, first + r, args.dim, args.paddedDim,
                              args.scratch + r * args.paddedDim);
            const float one = largestOf(args.scratch, rows * args.paddedDim) * factor / 127.0F;
            if (one > scale || one != one) scale = one;
            if (one != one) break;
        }
        return scale;
    }
};

/// V and P: units along keys.
template <class Isa, class Arithmetic>
void packValues(const PackArgs& args) {
    constexpr int kPerUnit = Arithmetic::kPerUnit;
    const int steps = kBlockKeys / kPerUnit;
    float* wide = args.scratch;
    auto* row = reinterpret_cast<std::uint32_t*>(args.scratch + kPerUnit * kMaxHeadDim);
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < kPerUnit; ++i) {
            float* one = wide + i * kMaxHeadDim;
            if (step * kPerUnit + i < args.count)
                widenRow<Isa>(args.type, args.rows, args.rowStride, step * kPerUnit + i, args.dim,
                              args.paddedDim, one);
            else
                std::memset(one, 0, static_cast<std::size_t>(args.paddedDim) * sizeof(float));
        }
        Arithmetic::encodeAcross(wide, wide + (kPerUnit - 1) * kMaxHeadDim, args.paddedDim, row);
        for (int d = 0; d < args.paddedDim; d += Isa::kRows)
            std::memcpy(args.units + (d / Isa::kRows * steps + step) * Isa::kRows, row + d, Isa::kRows * 4);
    }
}

/// The tile itself, for Cols registers of queries.
template <class Isa, class Scores, class Values, int Cols>
struct Tile {
    using Float = typename Isa::Float;
    static constexpr int kPitch = Cols * Isa::kLanes;
    static constexpr int kTurnKeys = Scores::kTurnBlocks * kBlockKeys;
    static_assert(kPitch <= kMaxTileQueries && kTurnKeys <= kMaxTurnKeys);

    const TileArgs& args;
    std::uint32_t* queries;  // [steps][kPitch]
    float* scores;           // Sᵀ [kTurnKeys][kPitch]
    std::uint32_t* weights;  // P  [kTurnKeys / keysPerUnit][kPitch]
    float* out;              // Oᵀ [paddedDim][kPitch]
    float* rows;             // [lanes][paddedDim] and one row more
    float* lseShift;         // [kPitch]
    float* queryScales;      // [kPitch]
    std::int32_t* limits;    // [kPitch] last key that a query sees
    int steps;

    explicit Tile(const TileArgs& a) : args(a), steps(a.paddedDim / Scores::kDimsPerUnit) {
        float* free = a.scratch;
        const auto take = [&free](int floats) {
            float* taken = free;
            free += floats;
            return taken;
        };
        queries = reinterpret_cast<std::uint32_t*>(take(kPitch * a.paddedDim));
        scores = take(kTurnKeys * kPitch);
        weights = reinterpret_cast<std::uint32_t*>(take(kTurnKeys * kPitch));
        out = take(a.paddedDim * kPitch);
        lseShift = take(kPitch);
        queryScales = take(kPitch);
        limits = reinterpret_cast<std::int32_t*>(take(kPitch));
        rows = take((Isa::kLanes + 1) * kMaxHeadDim);
    }

    void packQueries() {
        auto* units = reinterpret_cast<std::uint32_t*>(rows + kMaxHeadDim);
        for (int group = 0; group < Cols; ++group) {
            for (int lane = 0; lane < Isa::kLanes; ++lane) {
                const int query = group * Isa::kLanes + lane;
                std::uint32_t* row = units + lane * steps;
                lseShift[query] = 0;
                queryScales[query] = 0;
                if (query >= args.count) {
                    std::memset(row, 0, static_cast<std::size_t>(steps) * 4);
                    continue;
                }
                widenRow<Isa>(args.type, args.q, args.qStride, query, args.dim, args.paddedDim, rows);
                if constexpr (Scores::kQuantised) {
                    queryScales[query] = args.queryScales[(args.firstQuery + query) / kScaleQueries];
                    if (args.lse != nullptr) {
                        float dot = 0;
                        for (int d = 0; d < args.dim; ++d) dot += rows[d] * args.keyMean[d];
                        lseShift[query] = dot * args.scale;
                    }
                }
                Scores::encodeQuery(args, rows, query, row);
            }
            Isa::template transpose<Isa::kLanes>(units, steps, steps, queries + group * Isa::kLanes, kPitch);
        }
        for (int query = 0; query < kPitch; ++query) {
            std::int64_t last = args.keys - 1;
            if (args.causal && args.firstQuery + query + args.causalOffset < last)
                last = args.firstQuery + query + args.causalOffset;
            limits[query] = static_cast<std::int32_t>(last < -1 ? -1 : last);
        }
    }

    /// Sᵀ of the turn's keys into `scores`; largest[] is raised to the turn's maxima.
    void computeScores(std::int64_t firstKey, int keys, Float (&largest)[Cols]) {
        using Dot = typename Scores::Dot;
        for (int k = 0; k < keys; k += Isa::kRows) {
            typename Dot::Sum acc[Isa::kRows][Cols];
#pragma GCC unroll 8
            for (int r = 0; r < Isa::kRows; ++r) {
                typename Dot::Sum start;
                if constexpr (Scores::kQuantised)
                    start = Dot::start(args.keyBias[firstKey + k + r]);
                else
                    start = Dot::start(0);
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c) acc[r][c] = start;
            }
            multiply<Isa, Dot, Cols>(args.packedKeys + (firstKey + k) * steps, queries, steps, acc);
            Float factors[Cols];
            if constexpr (Scores::kQuantised) {
                const Float keyScale = Isa::set1(args.keyScales[(firstKey + k) / kBlockKeys]);
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c)
                    factors[c] = Isa::mul(Isa::loadFloat(queryScales + c * Isa::kLanes), keyScale);
            }
            const bool hidden = firstKey + k + Isa::kRows - 1 > limits[0];
#pragma GCC unroll 8
            for (int r = 0; r < Isa::kRows; ++r) {
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c) {
                    Float score;
                    if constexpr (Scores::kQuantised)
                        score = Isa::mul(Dot::toFloat(acc[r][c]), factors[c]);
                    else
                        score = acc[r][c];
                    if (hidden)
                        score = Isa::keepUpTo(score, limits + c * Isa::kLanes,
                                              static_cast<std::int32_t>(firstKey + k + r));
                    Isa::storeFloat(scores + (k + r) * kPitch + c * Isa::kLanes, score);
                    largest[c] = Isa::max(score, largest[c]);
                }
            }
        }
    }

    /// P = 2^(scores · factor − shift) into `weights`, rounded as V is; sums get the unrounded values.
    void computeWeights(int keys, float factor, const Float (&shift)[Cols], Float (&sums)[Cols]) {
        const Float f = Isa::set1(factor);
        const auto weight = [&](int key, int c) {
            const Float score = Isa::loadFloat(scores + key * kPitch + c * Isa::kLanes);
            if constexpr (Scores::kQuantised)
                return Isa::template exp2<Values::kExpDegree>(Isa::sub(score, shift[c]));
            else
                return Isa::template exp2<Values::kExpDegree>(Isa::fmsub(score, f, shift[c]));
        };
        constexpr int kPerUnit = Values::kPerUnit;
        for (int k = 0; k < keys; k += kPerUnit) {
#pragma GCC unroll 8
            for (int c = 0; c < Cols; ++c) {
                std::uint32_t* units = weights + k / kPerUnit * kPitch + c * Isa::kLanes;
                const Float first = weight(k, c);
                if constexpr (kPerUnit == 2) {
                    const Float second = weight(k + 1, c);
                    sums[c] = Isa::add(sums[c], Isa::add(first, second));
                    Values::storeWeights(units, first, second);
                } else {
                    sums[c] = Isa::add(sums[c], first);
                    Values::storeWeights(units, first, first);
                }
            }
        }
    }

    enum class Before { Nothing, Kept, Rescaled };

    /// Oᵀ = Oᵀ · rescale + Vᵀ P over the turn's keys.
    template <Before kBefore>
    void accumulate(std::int64_t firstKey, int keys, const Float (&rescale)[Cols]) {
        using Dot = typename Values::Dot;
        constexpr int kBlockSteps = kBlockKeys / Values::kPerUnit;
        const std::uint32_t* values = args.packedValues + firstKey / Values::kPerUnit * args.paddedDim;
        for (int d = 0; d < args.paddedDim; d += Isa::kRows) {
            typename Dot::Sum acc[Isa::kRows][Cols];
#pragma GCC unroll 8
            for (int r = 0; r < Isa::kRows; ++r)
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c) {
                    const float* from = out + (d + r) * kPitch + c * Isa::kLanes;
                    if constexpr (kBefore == Before::Nothing)
                        acc[r][c] = Dot::start(0);
                    else if constexpr (kBefore == Before::Kept)
                        acc[r][c] = Isa::loadFloat(from);
                    else
                        acc[r][c] = Isa::mul(Isa::loadFloat(from), rescale[c]);
                }
            for (int k = 0; k < keys; k += kBlockKeys) {
                const int left = (keys - k) / Values::kPerUnit;
                multiply<Isa, Dot, Cols>(values + (k / Values::kPerUnit * args.paddedDim + d * kBlockSteps),
                                         weights + k / Values::kPerUnit * kPitch,
                                         left < kBlockSteps ? left : kBlockSteps, acc);
            }
#pragma GCC unroll 8
            for (int r = 0; r < Isa::kRows; ++r)
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c)
                    Isa::storeFloat(out + (d + r) * kPitch + c * Isa::kLanes, acc[r][c]);
        }
    }

    void writeOut(const Float (&largest)[Cols], const Float (&sums)[Cols], float factor, bool any) {
        float maxima[kPitch];
        float totals[kPitch];
        float inverse[kPitch];
        for (int c = 0; c < Cols; ++c) {
            Isa::storeFloat(maxima + c * Isa::kLanes, largest[c]);
            Isa::storeFloat(totals + c * Isa::kLanes, sums[c]);
        }
        for (int q = 0; q < kPitch; ++q) inverse[q] = totals[q] == 0 ? 0 : 1 / totals[q];
        if (!any)
            std::memset(out, 0, static_cast<std::size_t>(args.paddedDim) * kPitch * sizeof(float));
        else
            for (int d = 0; d < args.paddedDim; ++d)
                for (int q = 0; q < kPitch; ++q) out[d * kPitch + q] *= inverse[q];
        // Oᵀ back to rows; the space of the queries is free now.
        auto* turned = reinterpret_cast<float*>(queries);
        for (int d = 0; d < args.paddedDim; d += Isa::kLanes)
            Isa::template transpose<Isa::kLanes>(reinterpret_cast<const std::uint32_t*>(out) + d * kPitch,
                                                 kPitch, kPitch, queries + d, args.paddedDim);
        for (int q = 0; q < args.count; ++q)
            Isa::narrow(args.type, turned + q * args.paddedDim, args.dim,
                        static_cast<char*>(args.out) + q * args.outStride * sizeOf(args.type));
        if (args.lse == nullptr) return;
        for (int q = 0; q < args.count; ++q)
            args.lse[q] =
                totals[q] == 0 ? -HUGE_VALF : maxima[q] * factor / kLog2E + logf(totals[q]) + lseShift[q];
    }

    void run() {
        packQueries();
        const float factor = Scores::kQuantised ? 1.0F : args.scale * kLog2E;
        const Float minusInfinity = Isa::set1(-HUGE_VALF);
        Float largest[Cols];
        Float sums[Cols];
        for (int c = 0; c < Cols; ++c) {
            largest[c] = minusInfinity;
            sums[c] = Isa::set1(0);
        }
        const std::int64_t end = limits[args.count - 1] + std::int64_t{1};
        const std::int64_t turns = (end + kTurnKeys - 1) / kTurnKeys;
        for (std::int64_t turn = 0; turn < turns; ++turn) {
            const std::int64_t firstKey = (Scores::kLastFirst ? turns - 1 - turn : turn) * kTurnKeys;
            int keys = end - firstKey < kTurnKeys ? static_cast<int>(end - firstKey) : kTurnKeys;
            keys = (keys + Isa::kRows - 1) / Isa::kRows * Isa::kRows;
            Float raised[Cols];
            for (int c = 0; c < Cols; ++c) raised[c] = largest[c];
            computeScores(firstKey, keys, raised);
            Float shift[Cols];
            Float rescale[Cols];
            bool rescaled = false;
            for (int c = 0; c < Cols; ++c) {
                // A query that saw no key yet has maximum −inf: any finite shift gives it weights of 0.
                shift[c] = Isa::zeroWhereMinusInfinity(Isa::mul(raised[c], Isa::set1(factor)));
                rescaled |= Isa::anyDiffers(raised[c], largest[c]);
                rescale[c] = Isa::template exp2<6>(Isa::fmsub(largest[c], Isa::set1(factor), shift[c]));
                sums[c] = Isa::mul(sums[c], rescale[c]);
                largest[c] = raised[c];
            }
            computeWeights(keys, factor, shift, sums);
            if (turn == 0)
                accumulate<Before::Nothing>(firstKey, keys, rescale);
            else if (rescaled)
                accumulate<Before::Rescaled>(firstKey, keys, rescale);
            else
                accumulate<Before::Kept>(firstKey, keys, rescale);
        }
        writeOut(largest, sums, factor, end > 0);
    }
};

/// As few registers of queries as the tile needs: short sequences pay for the queries that they have.
template <class Isa, class Scores, class Values>
void attendTile(const TileArgs& args) {
    static_assert(Isa::kCols == 3);
    if (args.count <= Isa::kLanes)
        Tile<Isa, Scores, Values, 1>(args).run();
    else if (args.count <= 2 * Isa::kLanes)
        Tile<Isa, Scores, Values, 2>(args).run();
    else
        Tile<Isa, Scores, Values, 3>(args).run();
}

template <class Isa, class Scores, class Values>
TileKernels tileKernels() {
    TileKernels kernels;
    kernels.tileQueries = Isa::kCols * Isa::kLanes;
    kernels.dimsPerUnit = Scores::kDimsPerUnit;
    kernels.keysPerUnit = Values::kPerUnit;
    kernels.packKeys = &Scores::packKeys;
    kernels.packValues = &packValues<Isa, Values>;
    kernels.attend = &attendTile<Isa, Scores, Values>;
    if constexpr (Scores::kQuantised) {
        kernels.sumRows = &Scores::sumRows;
        kernels.scaleOfRows = &Scores::scaleOfRows;
    }
    return kernels;
}

}  // namespace reelgrid::kernels::cpu
