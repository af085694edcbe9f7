#pragma once

// The attention algorithm, written once and compiled by each instruction set's source with its own flags.
// Included by those sources only. `Isa` (lanes_*.h) is a type of an anonymous namespace there, so that every
// instantiation stays local to its source: the linker must never run one machine's code on another. For the
// same reason no templates of the standard library are used here.
//
// Names: Sᵀ is [keys, lanes], P (same shape) is packed in units along keys, Oᵀ is [head dim, lanes].

#include <math.h>

#include <cstring>

#include "kernels/cpu/attention/tiles/linear_branch.h"
#include "kernels/cpu/attention/tiles/multiply.h"
#include "kernels/cpu/attention/tiles/score_policies.h"
#include "kernels/cpu/attention/tiles/value_policies.h"

namespace reelgrid::kernels::cpu {

/// The tile itself, for Cols registers of queries. `Linear` is the arithmetic of sla's linear branch.
template <class Isa, class Scores, class Values, class Linear, int Cols>
struct Tile {
    using Float = typename Isa::Float;
    static constexpr int kPitch = Cols * Isa::kLanes;
    static constexpr int kTurnKeys = Scores::kTurnBlocks * kBlockKeys;
    static_assert(kPitch <= kMaxTileQueries && kTurnKeys <= kMaxTurnKeys);

    TileArgs args;
    std::uint32_t* queries = nullptr;  // [steps][kPitch]
    float* scores = nullptr;           // Sᵀ [kTurnKeys][kPitch]
    std::uint32_t* weights = nullptr;  // P  [kTurnKeys / keysPerUnit][kPitch]
    float* out = nullptr;              // Oᵀ [paddedDim][kPitch]
    float* rows = nullptr;             // [lanes][kMaxHeadDim] and one row more
    float* lseShift = nullptr;         // [kPitch]
    float* queryScales = nullptr;      // [kPitch]
    std::int32_t* limits = nullptr;    // [kPitch] last key that a query sees
    int steps = 0;
    float factor = 1;      // of the scores, to powers of two
    std::int64_t end = 0;  // keys of the walk
    bool anyTurn = false;
    Float largest[Cols];
    Float sums[Cols];

    /// `shared`: kSharedScratch floats, whose contents live for one turn. `own`: kTileScratch floats.
    void start(const TileArgs& tile, float* shared, float* own) {
        args = tile;
        steps = args.paddedDim / Scores::kDimsPerUnit;
        factor = Scores::kScaled ? 1.0F : args.scale * kLog2E;
        scores = shared;
        weights = reinterpret_cast<std::uint32_t*>(scores + kTurnKeys * kPitch);
        rows = shared + 2 * kTurnKeys * kPitch;
        queries = reinterpret_cast<std::uint32_t*>(own);
        out = own + kPitch * args.paddedDim;
        lseShift = out + kPitch * args.paddedDim;
        queryScales = lseShift + kPitch;
        limits = reinterpret_cast<std::int32_t*>(queryScales + kPitch);
        packQueries();
        end = walkLength();
        for (int c = 0; c < Cols; ++c) {
            largest[c] = Isa::set1(-HUGE_VALF);
            sums[c] = Isa::set1(0);
        }
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
                if constexpr (Scores::kScaled)
                    queryScales[query] = Scores::scoreScale(
                        args, args.queryScales[(args.firstQuery + query) / args.scaleQueries]);
                if constexpr (Scores::kCentred) {
                    if (args.lse != nullptr && args.keyMean != nullptr) {
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

    /// Where in the head a key of the walk is: the walk of a sparse method has the chosen blocks only.
    std::int64_t keyAt(std::int64_t walked) const {
        if constexpr (Scores::kSparse)
            return std::int64_t{args.blocks[walked / kBlockKeys]} * kBlockKeys + walked % kBlockKeys;
        else
            return walked;
    }

    /// Keys of the walk that some query of the tile sees.
    std::int64_t walkLength() const {
        const std::int64_t visible = limits[args.count - 1] + std::int64_t{1};
        if constexpr (!Scores::kSparse) return visible;
        const std::int64_t lastBlock = std::int64_t{args.blocks[args.blockCount - 1]} * kBlockKeys;
        const std::int64_t lastKeys = visible - lastBlock < kBlockKeys ? visible - lastBlock : kBlockKeys;
        return (args.blockCount - 1) * std::int64_t{kBlockKeys} + lastKeys;
    }

    /// What turns the products of kRows keys into scores.
    struct Panel {
        Float factors[Cols];  // of scaled methods
        std::int64_t key;     // the first one
        bool hidden;          // from some query
        bool changed;         // whether more than a factor is to be done
    };

    Panel panelAt(std::int64_t key) const {
        Panel panel;
        panel.key = key;
        if constexpr (Scores::kScaled) {
            const Float keyScale =
                Isa::set1(Scores::kKeyGrain == 1 ? 1.0F : args.keyScales[key / Scores::kKeyGrain]);
#pragma GCC unroll 8
            for (int c = 0; c < Cols; ++c)
                panel.factors[c] = Isa::mul(Isa::loadFloat(queryScales + c * Isa::kLanes), keyScale);
        }
        panel.hidden = key + Isa::kRows - 1 > limits[0];
        panel.changed = panel.hidden || args.scoreBias != nullptr;
        return panel;
    }

    /// The product of row r of the panel scaled, biased and hidden from the queries that don't see its key.
    Float scoreOf(Float product, const Panel& panel, int r, int c) const {
        Float score = product;
        if constexpr (Scores::kScaled) {
            Float scale = panel.factors[c];
            if constexpr (Scores::kKeyGrain == 1)
                scale = Isa::mul(scale, Isa::set1(args.keyScales[panel.key + r]));
            score = Isa::mul(score, scale);
        }
        if (!panel.changed) return score;
        const std::int64_t key = panel.key + r;
        if (args.scoreBias != nullptr) score = Isa::add(score, Isa::set1(args.scoreBias[key]));
        if (!panel.hidden) return score;
        return Isa::keepUpTo(score, limits + c * Isa::kLanes, static_cast<std::int32_t>(key));
    }

    /// Sᵀ of the turn's keys into `scores`; raised[] grows to the turn's maxima.
    void computeScores(std::int64_t firstWalked, int keys, Float (&raised)[Cols]) {
        using Dot = typename Scores::Dot;
        for (int k = 0; k < keys; k += Isa::kRows) {
            const std::int64_t key = keyAt(firstWalked + k);
            typename Dot::Sum acc[Isa::kRows][Cols];
#pragma GCC unroll 8
            for (int r = 0; r < Isa::kRows; ++r) {
                const typename Dot::Sum start = Scores::start(args, key + r);
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c) acc[r][c] = start;
            }
            multiply<Isa, Dot, Cols>(args.packedKeys + key * steps, queries, steps, acc);
            const Panel panel = panelAt(key);
#pragma GCC unroll 8
            for (int r = 0; r < Isa::kRows; ++r) {
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c) {
                    const Float score = scoreOf(Scores::toFloat(acc[r][c]), panel, r, c);
                    Isa::storeFloat(scores + (k + r) * kPitch + c * Isa::kLanes, score);
                    raised[c] = Isa::max(score, raised[c]);
                }
            }
        }
    }

    /// P = 2^(scores · factor − shift) into `weights`, rounded as its type is; sums get the unrounded values.
    void computeWeights(int keys, const Float (&shift)[Cols]) {
        const Float f = Isa::set1(factor);
        Float totals[Cols];
        for (int c = 0; c < Cols; ++c) totals[c] = sums[c];
        const auto weight = [&](int key, int c) {
            const Float score = Isa::loadFloat(scores + key * kPitch + c * Isa::kLanes);
            if constexpr (Scores::kScaled)
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
                    totals[c] = Isa::add(totals[c], Isa::add(first, second));
                    Values::storeWeights(units, first, second);
                } else {
                    totals[c] = Isa::add(totals[c], first);
                    Values::storeWeights(units, first, first);
                }
            }
        }
        for (int c = 0; c < Cols; ++c) sums[c] = totals[c];
    }

    enum class Before { Nothing, Kept, Rescaled };

    /// Oᵀ = Oᵀ · rescale + Vᵀ P over the turn's keys.
    template <Before kBefore>
    void accumulate(std::int64_t firstWalked, int keys, const Float (&rescale)[Cols]) {
        using Dot = typename Values::Dot;
        constexpr int kBlockSteps = kBlockKeys / Values::kPerUnit;
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
                multiply<Isa, Dot, Cols>(
                    args.packedValues + keyAt(firstWalked + k) / Values::kPerUnit * args.paddedDim +
                        d * kBlockSteps,
                    weights + k / Values::kPerUnit * kPitch, left < kBlockSteps ? left : kBlockSteps, acc);
            }
#pragma GCC unroll 8
            for (int r = 0; r < Isa::kRows; ++r)
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c)
                    Isa::storeFloat(out + (d + r) * kPitch + c * Isa::kLanes, acc[r][c]);
        }
    }

    /// Normalises Oᵀ and writes it, and the log-sum-exp, where they belong.
    void finish() {
        float maxima[kPitch];
        float totals[kPitch];
        float inverse[kPitch];
        for (int c = 0; c < Cols; ++c) {
            Isa::storeFloat(maxima + c * Isa::kLanes, largest[c]);
            Isa::storeFloat(totals + c * Isa::kLanes, sums[c]);
        }
        for (int q = 0; q < kPitch; ++q) inverse[q] = totals[q] == 0 ? 0 : 1 / totals[q];
        if (!anyTurn)
            std::memset(out, 0, static_cast<std::size_t>(args.paddedDim) * kPitch * sizeof(float));
        else
            for (int d = 0; d < args.paddedDim; ++d) {
                const float scale = Values::kScaled ? args.valueScales[d] : 1.0F;
                for (int q = 0; q < kPitch; ++q)
                    out[d * kPitch + q] = out[d * kPitch + q] * inverse[q] * scale;
            }
        if constexpr (Scores::kSparse) {
            // The space of the queries, and of the scores and weights together, is free now.
            if (args.linear != nullptr)
                LinearBranch<Isa, Linear, Cols>{args}.addTo(out, rows, queries,
                                                            reinterpret_cast<std::uint32_t*>(scores));
        }
        // Oᵀ back to rows, in the space of the queries.
        auto* turned = reinterpret_cast<float*>(queries);
        for (int d = 0; d < args.paddedDim; d += Isa::kLanes)
            Isa::template transpose<Isa::kLanes>(reinterpret_cast<const std::uint32_t*>(out) + d * kPitch,
                                                 kPitch, kPitch, queries + d, args.paddedDim);
        for (int q = 0; q < args.count; ++q)
            Isa::narrow(args.type, turned + q * args.paddedDim, args.dim,
                        static_cast<char*>(args.out) + q * args.outStride * sizeOf(args.type));
        if (args.lse == nullptr) return;
        constexpr float kOffset = static_cast<float>(Values::kOffset) / kLog2E;
        for (int q = 0; q < args.count; ++q)
            args.lse[q] = totals[q] == 0
                              ? -HUGE_VALF
                              : maxima[q] * factor / kLog2E + (logf(totals[q]) - kOffset) + lseShift[q];
    }

    /// Whether a turn with these maxima of its own lies so far below every row's largest that it is left out.
    bool isFaint(const Float (&own)[Cols]) const {
        float turns[kPitch], rowMaxima[kPitch];
        for (int c = 0; c < Cols; ++c) {
            Isa::storeFloat(turns + c * Isa::kLanes, own[c]);
            Isa::storeFloat(rowMaxima + c * Isa::kLanes, largest[c]);
        }
        for (int q = 0; q < args.count; ++q)
            if (!((rowMaxima[q] - turns[q]) * factor > args.faint)) return false;  // a NaN is no less
        return true;
    }

    /// Turns start at multiples of kTurnKeys; those at or beyond the walk's end do nothing.
    void turn(std::int64_t firstKey) {
        if (firstKey >= end) return;
        int keys = end - firstKey < kTurnKeys ? static_cast<int>(end - firstKey) : kTurnKeys;
        keys = (keys + Isa::kRows - 1) / Isa::kRows * Isa::kRows;
        Float raised[Cols];
        for (int c = 0; c < Cols; ++c) raised[c] = Scores::kSkipsFaint ? Isa::set1(-HUGE_VALF) : largest[c];
        computeScores(firstKey, keys, raised);
        if constexpr (Scores::kSkipsFaint) {
            if (isFaint(raised)) return;
            for (int c = 0; c < Cols; ++c) raised[c] = Isa::max(raised[c], largest[c]);
        }
        Float shift[Cols];
        Float rescale[Cols];
        bool rescaled = false;
        for (int c = 0; c < Cols; ++c) {
            // A query that saw no key yet has maximum −inf: any finite shift gives it weights of 0.
            shift[c] = Isa::zeroWhereMinusInfinity(Isa::mul(raised[c], Isa::set1(factor)));
            rescaled |= Isa::anyDiffers(raised[c], largest[c]);
            // Product and difference apart: an unchanged maximum rescales by exactly 1.
            rescale[c] = Isa::template exp2<6>(Isa::sub(Isa::mul(largest[c], Isa::set1(factor)), shift[c]));
            sums[c] = Isa::mul(sums[c], rescale[c]);
            largest[c] = raised[c];
            if constexpr (Values::kOffset != 0)
                shift[c] = Isa::sub(shift[c], Isa::set1(static_cast<float>(Values::kOffset)));
        }
        computeWeights(keys, shift);
        if (!anyTurn)
            accumulate<Before::Nothing>(firstKey, keys, rescale);
        else if (rescaled)
            accumulate<Before::Rescaled>(firstKey, keys, rescale);
        else
            accumulate<Before::Kept>(firstKey, keys, rescale);
        anyTurn = true;
    }
};

}  // namespace reelgrid::kernels::cpu
