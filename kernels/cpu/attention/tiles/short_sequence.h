#pragma once

// Exact attention over so few keys that packing them would cost more than the products: K's rows are read as
// they lie, S of a whole head is there at once, and O is computed row by row. Included by the sources of the
// instruction sets only (see attention_tile.h).
//
// Names: Sᵀ is [keys, lanes of queries], P (same shape) is packed in units along keys.

#include <math.h>

#include <cstring>

#include "kernels/cpu/attention/tiles/row_arithmetic.h"

namespace reelgrid::kernels::cpu {

/// acc[Rows][Cols] += broadcast(a[step][row]) · b[step][lanes of col], wherever steps, rows and lanes lie.
template <class Isa, class Dot, int Rows, int Cols>
inline void multiplyStrided(const std::uint32_t* a, std::int64_t aRow, std::int64_t aStep,
                            const std::uint32_t* b, std::int64_t bStep, int steps,
                            typename Dot::Sum (&acc)[Rows][Cols]) {
    const std::int64_t fourRows = 4 * aRow;
    for (int step = 0; step < steps; ++step, a += aStep, b += bStep) {
        typename Isa::Int lanes[Cols];
#pragma GCC unroll 8
        for (int c = 0; c < Cols; ++c) lanes[c] = Isa::load(b + c * Isa::kLanes);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            const typename Isa::Int one = Isa::broadcast(a + r / 4 * fourRows + r % 4 * aRow);
#pragma GCC unroll 8
            for (int c = 0; c < Cols; ++c) acc[r][c] = Dot::add(acc[r][c], lanes[c], one);
        }
    }
}

template <class Tile>
struct TileIs {
    using Type = Tile;
};

/// Cols registers of queries of one head.
template <class Isa, class Arithmetic, DataType kType, int Cols>
struct ShortTile {
    using Float = typename Isa::Float;
    using Dot = typename Arithmetic::Dot;
    static constexpr int kPerUnit = Arithmetic::kPerUnit;
    static constexpr int kPitch = Cols * Isa::kLanes;
    static constexpr int kRows = Isa::kRows;
    /// A row as it lies is a row of units.
    static constexpr bool kRowsAreUnits = sizeOf(kType) * kPerUnit == 4;
    static constexpr int kColumns = Isa::kCols;  ///< registers of a row of O at a time

    const ShortArgs& args;
    int steps;               // units of a row of Q or K
    int valuePitch;          // units of a row of V
    std::uint32_t* rows;     // [kPitch][steps + kLanes]: queries before they are turned
    std::uint32_t* turned;   // [steps][kPitch]
    float* scores;           // [kBlockKeys][kPitch]
    std::uint32_t* weights;  // [kBlockKeys / kPerUnit][kPitch]

    static const char* rowAt(const void* rows, std::int64_t stride, int row) {
        return static_cast<const char*>(rows) + row * stride * sizeOf(kType);
    }

    /// A row in units: what lies beyond its end is zero, up to a whole register.
    static void encode(const char* row, int dim, std::uint32_t* units) {
        for (int d = 0; d < dim; d += Isa::kLanes * kPerUnit) {
            const Float first = Isa::template elementsAt<kType>(row, d, dim);
            if constexpr (kPerUnit == 2)
                Arithmetic::storeUnits(units + d / 2, first,
                                       Isa::template elementsAt<kType>(row, d + Isa::kLanes, dim));
            else
                Arithmetic::storeWeights(units + d, first, first);
        }
    }

    void turnQueries(int first, int count) const {
        for (int group = 0; group < Cols; ++group) {
            const int begin = first + group * Isa::kLanes;
            const int there = count - group * Isa::kLanes;
            std::uint32_t* to = turned + group * Isa::kLanes;
            if (kRowsAreUnits && there >= Isa::kLanes && args.qStride % kPerUnit == 0) {
                Isa::template transpose<Isa::kLanes>(
                    reinterpret_cast<const std::uint32_t*>(rowAt(args.q, args.qStride, begin)),
                    static_cast<int>(args.qStride / kPerUnit), steps, to, kPitch);
                continue;
            }
            const int pitch = steps + Isa::kLanes;
            for (int lane = 0; lane < Isa::kLanes; ++lane) {
                if (lane < there)
                    encode(rowAt(args.q, args.qStride, begin + lane), args.dim, rows + lane * pitch);
                else
                    std::memset(rows + lane * pitch, 0, static_cast<std::size_t>(steps) * 4);
            }
            Isa::template transpose<Isa::kLanes>(rows, pitch, steps, to, kPitch);
        }
    }

    /// Sᵀ, biased and hidden where a query doesn't see the key; the queries' largest.
    void computeScores(const std::uint32_t* keys, std::int64_t keyPitch, const std::int32_t* limits,
                       Float (&largest)[Cols]) const {
        for (int c = 0; c < Cols; ++c) largest[c] = Isa::set1(-HUGE_VALF);
        const int lastPanel = static_cast<int>(args.keys) - kRows;
        for (int key = 0; key < args.keys; key += kRows) {
            typename Dot::Sum acc[kRows][Cols];
#pragma GCC unroll 8
            for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c) acc[r][c] = Dot::start(0);
            multiplyStrided<Isa, Dot, kRows, Cols>(keys + key * keyPitch, keyPitch, 1, turned, kPitch, steps,
                                                   acc);
            const bool hidden = key > lastPanel || args.causal;
#pragma GCC unroll 8
            for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c) {
                    Float score = acc[r][c];
                    if (args.scoreBias != nullptr)
                        score = Isa::add(score, Isa::set1(args.scoreBias[key + r]));
                    if (hidden) score = Isa::keepUpTo(score, limits + c * Isa::kLanes, key + r);
                    Isa::storeFloat(scores + (key + r) * kPitch + c * Isa::kLanes, score);
                    largest[c] = Isa::max(score, largest[c]);
                }
            }
        }
    }

    void computeWeights(int keys, const Float (&shift)[Cols], Float (&sums)[Cols]) const {
        const Float factor = Isa::set1(args.scale * kLog2E);
        for (int c = 0; c < Cols; ++c) sums[c] = Isa::set1(0);
        const auto weight = [&](int key, int c) {
            return Isa::template exp2<Arithmetic::kExpDegree>(
                Isa::fmsub(Isa::loadFloat(scores + key * kPitch + c * Isa::kLanes), factor, shift[c]));
        };
        for (int key = 0; key < keys; key += kPerUnit)
#pragma GCC unroll 8
            for (int c = 0; c < Cols; ++c) {
                std::uint32_t* units = weights + key / kPerUnit * kPitch + c * Isa::kLanes;
                const Float first = weight(key, c);
                sums[c] = Isa::add(sums[c], first);
                if constexpr (kPerUnit == 2) {
                    const Float second = weight(key + 1, c);
                    sums[c] = Isa::add(sums[c], second);
                    Arithmetic::storeWeights(units, first, second);
                } else {
                    Arithmetic::storeWeights(units, first, first);
                }
            }
    }

    /// Rows of O from query `query` of the tile on, `kWidth` registers of them from dimension `d` on.
    template <int kWidth>
    void storeOutputs(int first, int query, int count, int d, int pairs, const std::uint32_t* values,
                      const float* inverse) const {
        typename Dot::Sum acc[kRows][kWidth];
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 8
            for (int c = 0; c < kWidth; ++c) acc[r][c] = Dot::start(0);
        multiplyStrided<Isa, Dot, kRows, kWidth>(weights + query, 1, kPitch, values + d, valuePitch, pairs,
                                                 acc);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            if (query + r >= count) break;
            char* row = static_cast<char*>(args.out) + (first + query + r) * args.outStride * sizeOf(kType);
#pragma GCC unroll 8
            for (int c = 0; c < kWidth; ++c)
                Isa::template storeElements<kType>(Isa::mul(acc[r][c], Isa::set1(inverse[query + r])), row,
                                                   d + c * Isa::kLanes, args.dim);
        }
    }

    void attend(int first, int count, const std::uint32_t* keys, std::int64_t keyPitch,
                const std::uint32_t* values) const {
        std::int32_t limits[kPitch];
        for (int query = 0; query < kPitch; ++query) {
            std::int64_t last = args.keys - 1;
            if (args.causal && first + query + args.causalOffset < last)
                last = first + query + args.causalOffset;
            limits[query] = static_cast<std::int32_t>(last < -1 ? -1 : last);
        }
        turnQueries(first, count);
        Float largest[Cols], shift[Cols], sums[Cols];
        computeScores(keys, keyPitch, limits, largest);
        for (int c = 0; c < Cols; ++c)
            shift[c] = Isa::zeroWhereMinusInfinity(Isa::mul(largest[c], Isa::set1(args.scale * kLog2E)));
        const int padded = static_cast<int>((args.keys + kPerUnit - 1) / kPerUnit * kPerUnit);
        computeWeights(padded, shift, sums);
        float totals[kPitch], inverse[kPitch];
        for (int c = 0; c < Cols; ++c) Isa::storeFloat(totals + c * Isa::kLanes, sums[c]);
        for (int query = 0; query < kPitch; ++query)
            inverse[query] = totals[query] == 0 ? 0 : 1 / totals[query];
        for (int query = 0; query < count; query += kRows)
            for (int d = 0; d < args.dim;) {
                const int left = (args.dim - d + Isa::kLanes - 1) / Isa::kLanes;
                const auto store = [&](auto width) {
                    storeOutputs<decltype(width)::kValue>(first, query, count, d, padded / kPerUnit, values,
                                                          inverse);
                    d += decltype(width)::kValue * Isa::kLanes;
                };
                if (left == 4 || left == 2)
                    store(Width<2>{});
                else if (left >= 3)
                    store(Width<3>{});
                else
                    store(Width<1>{});
            }
        if (args.lse == nullptr) return;
        float maxima[kPitch];
        for (int c = 0; c < Cols; ++c) Isa::storeFloat(maxima + c * Isa::kLanes, largest[c]);
        for (int query = 0; query < count; ++query)
            args.lse[first + query] =
                totals[query] == 0 ? -HUGE_VALF : maxima[query] * args.scale + logf(totals[query]);
    }

  private:
    template <int kWidth>
    struct Width {
        static constexpr int kValue = kWidth;
    };
};

/// All queries of one head, whose keys and values are brought into units once: K's rows only where they
/// aren't.
template <class Isa, class Arithmetic, DataType kType>
void attendShort(const ShortArgs& args) {
    using One = ShortTile<Isa, Arithmetic, kType, 1>;
    constexpr int kPerUnit = Arithmetic::kPerUnit;
    const int steps = args.dim / kPerUnit;
    const int valuePitch = (args.dim + Isa::kLanes - 1) / Isa::kLanes * Isa::kLanes;
    const int paddedKeys = static_cast<int>((args.keys + Isa::kRows - 1) / Isa::kRows) * Isa::kRows;
    auto* rows = reinterpret_cast<std::uint32_t*>(args.scratch);
    std::uint32_t* const turned = rows + Isa::kLanes * (kMaxHeadDim + Isa::kLanes);
    auto* const scores = reinterpret_cast<float*>(turned + kMaxHeadDim * 2 * Isa::kLanes);
    auto* const weights = reinterpret_cast<std::uint32_t*>(scores + kBlockKeys * 2 * Isa::kLanes);
    std::uint32_t* const values = weights + kBlockKeys * 2 * Isa::kLanes;
    std::uint32_t* const keyUnits = values + kBlockKeys * kMaxHeadDim;
    static_assert(kShortScratch >= (kMaxHeadDim + Isa::kLanes) * Isa::kLanes + kMaxHeadDim * 2 * Isa::kLanes +
                                       4 * kBlockKeys * Isa::kLanes +
                                       kBlockKeys * (2 * kMaxHeadDim + Isa::kLanes));

    const auto* keys = static_cast<const std::uint32_t*>(args.k);
    std::int64_t keyPitch = args.kStride / kPerUnit;
    // The last panel of rows must be there as a whole.
    if (!One::kRowsAreUnits || args.kStride % kPerUnit != 0 || args.keys % Isa::kRows != 0) {
        keys = keyUnits;
        keyPitch = steps + Isa::kLanes;
        for (int key = 0; key < args.keys; ++key)
            One::encode(One::rowAt(args.k, args.kStride, key), args.dim, keyUnits + key * keyPitch);
        for (int key = static_cast<int>(args.keys); key < paddedKeys; ++key)
            std::memset(keyUnits + key * keyPitch, 0, static_cast<std::size_t>(steps) * 4);
    }
    for (int key = 0; key < args.keys; key += kPerUnit) {
        const char* first = One::rowAt(args.v, args.vStride, key);
        const char* second = key + 1 < args.keys ? One::rowAt(args.v, args.vStride, key + 1) : nullptr;
        std::uint32_t* const to = values + key / kPerUnit * valuePitch;
        for (int d = 0; d < args.dim; d += Isa::kLanes) {
            const auto one = Isa::template elementsAt<kType>(first, d, args.dim);
            if constexpr (kPerUnit == 2)
                Arithmetic::storeWeights(
                    to + d, one,
                    second != nullptr ? Isa::template elementsAt<kType>(second, d, args.dim) : Isa::set1(0));
            else
                Arithmetic::storeWeights(to + d, one, one);
        }
    }
    const auto attend = [&](auto tile, int first, int count) {
        using Tile = typename decltype(tile)::Type;
        Tile{args, steps, valuePitch, rows, turned, scores, weights}.attend(first, count, keys, keyPitch,
                                                                            values);
    };
    for (int first = 0; first < args.count;) {
        const int left = args.count - first;
        if (left > Isa::kLanes) {
            attend(TileIs<ShortTile<Isa, Arithmetic, kType, 2>>{}, first,
                   left < 2 * Isa::kLanes ? left : 2 * Isa::kLanes);
            first += 2 * Isa::kLanes;
        } else {
            attend(TileIs<One>{}, first, left);
            first += Isa::kLanes;
        }
    }
}

}  // namespace reelgrid::kernels::cpu
