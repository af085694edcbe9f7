#pragma once

// The linear branch of sla and sagesla, for checkpoints that were trained with it. Included by the sources of
// the instruction sets only (see attention_tile.h). φ is the softmax over the head dim; `Arithmetic` rounds
// the operands of the products, the sums are fp32.

#include "kernels/cpu/attention/tiles/multiply.h"
#include "kernels/cpu/attention/tiles/score_policies.h"

namespace reelgrid::kernels::cpu {

/// products[v][k] += Σ over the block's keys of V[key][v] · φ(k)[key][k], for Cols registers of k.
template <class Isa, class Arithmetic, int Cols>
inline void addOuterProducts(const std::uint32_t* values, const std::uint32_t* features, int steps,
                             int paddedDim, float* products) {
    using Dot = typename Arithmetic::Dot;
    constexpr int kSteps = kBlockKeys / Arithmetic::kPerUnit;
    for (int d = 0; d < paddedDim; d += Isa::kRows) {
        typename Dot::Sum acc[Isa::kRows][Cols];
#pragma GCC unroll 8
        for (int r = 0; r < Isa::kRows; ++r)
#pragma GCC unroll 8
            for (int c = 0; c < Cols; ++c)
                acc[r][c] = Isa::loadFloat(products + (d + r) * paddedDim + c * Isa::kLanes);
        multiply<Isa, Dot, Cols>(values + d * kSteps, features, steps, acc);
#pragma GCC unroll 8
        for (int r = 0; r < Isa::kRows; ++r)
#pragma GCC unroll 8
            for (int c = 0; c < Cols; ++c)
                Isa::storeFloat(products + (d + r) * paddedDim + c * Isa::kLanes, acc[r][c]);
    }
}

template <class Isa, class Arithmetic>
void sumKeyValues(const KeyValueArgs& args) {
    constexpr int kPerUnit = Arithmetic::kPerUnit;
    constexpr int kSteps = kBlockKeys / kPerUnit;
    const int dims = args.paddedDim;
    const int vectors = dims / Isa::kLanes;
    float* wide = args.scratch;  // [kPerUnit][kMaxHeadDim]
    auto* features = reinterpret_cast<std::uint32_t*>(args.scratch + kPerUnit * kMaxHeadDim);
    for (int i = 0; i < dims * dims; ++i) args.products[i] = 0;
    for (int d = 0; d < dims; ++d) args.keySum[d] = 0;
    for (int first = 0; first < args.count; first += kBlockKeys) {
        const int left = args.count - first < kBlockKeys ? args.count - first : kBlockKeys;
        const int steps = (left + Isa::kRows - 1) / Isa::kRows * Isa::kRows / kPerUnit;
        for (int step = 0; step < steps; ++step) {
            for (int i = 0; i < kPerUnit; ++i) {
                const int key = first + step * kPerUnit + i;
                float* row = wide + i * kMaxHeadDim;
                if (key < args.count) {
                    widenRow<Isa>(args, key, row);
                    softmaxRow<Isa>(row, args.dim, dims);
                } else {
                    for (int d = 0; d < dims; ++d) row[d] = 0;
                }
                for (int d = 0; d < dims; ++d) args.keySum[d] += row[d];
            }
            // [columns / (3 lanes)][steps][3 lanes], the last group narrower.
            for (int v = 0; v < vectors; v += 3) {
                const int group = vectors - v < 3 ? vectors - v : 3;
                Arithmetic::encodeAcross(
                    wide + v * Isa::kLanes, wide + (kPerUnit - 1) * kMaxHeadDim + v * Isa::kLanes,
                    group * Isa::kLanes, features + (v * kSteps + step * group) * Isa::kLanes);
            }
        }
        const std::uint32_t* values = args.packedValues + first / kPerUnit * dims;
        for (int v = 0; v < vectors; v += 3) {
            const std::uint32_t* group = features + v * kSteps * Isa::kLanes;
            float* products = args.products + v * Isa::kLanes;
            if (vectors - v >= 3)
                addOuterProducts<Isa, Arithmetic, 3>(values, group, steps, dims, products);
            else if (vectors - v == 2)
                addOuterProducts<Isa, Arithmetic, 2>(values, group, steps, dims, products);
            else
                addOuterProducts<Isa, Arithmetic, 1>(values, group, steps, dims, products);
        }
    }
}

/// The branch for one tile of queries: adds it to Oᵀ, which is normalised by then.
template <class Isa, class Arithmetic, int Cols>
struct LinearBranch {
    static constexpr int kPitch = Cols * Isa::kLanes;
    using Dot = typename Arithmetic::Dot;
    using Float = typename Isa::Float;

    const TileArgs& args;
    int steps = args.paddedDim / Arithmetic::kPerUnit;

    /// φ(q) in the layout of packed queries, and 1 / (1e-5 + φ(q) · Σ φ(k)). `rows`: [lanes +
    /// 1][kMaxHeadDim].
    void packFeatures(float* rows, std::uint32_t* features, float* inverse) const {
        auto* units = reinterpret_cast<std::uint32_t*>(rows + kMaxHeadDim);
        for (int group = 0; group < Cols; ++group) {
            for (int lane = 0; lane < Isa::kLanes; ++lane) {
                const int query = group * Isa::kLanes + lane;
                if (query < args.count) {
                    widenRow<Isa>(args.type, args.q, args.qStride, query, args.dim, args.paddedDim, rows);
                    softmaxRow<Isa>(rows, args.dim, args.paddedDim);
                } else {
                    for (int d = 0; d < args.paddedDim; ++d) rows[d] = 0;
                }
                float total = 1e-5F;
                for (int d = 0; d < args.paddedDim; ++d) total += rows[d] * args.linear->keySum[d];
                inverse[query] = 1 / total;
                Arithmetic::encodeRow(rows, args.paddedDim, units + lane * steps);
            }
            Isa::template transpose<Isa::kLanes>(units, steps, steps, features + group * Isa::kLanes, kPitch);
        }
    }

    /// result(row, acc) gets each kRows of the first `rows` rows of matrix · operand.
    template <class Result>
    void eachProduct(const std::uint32_t* matrix, int rows, const std::uint32_t* operand,
                     Result result) const {
        for (int d = 0; d < rows; d += Isa::kRows) {
            Float acc[Isa::kRows][Cols];
#pragma GCC unroll 8
            for (int r = 0; r < Isa::kRows; ++r)
#pragma GCC unroll 8
                for (int c = 0; c < Cols; ++c) acc[r][c] = Isa::set1(0);
            multiply<Isa, Dot, Cols>(matrix + d * steps, operand, steps, acc);
            result(d, acc);
        }
    }

    /// `features` and `linear` hold paddedDim · kPitch units each.
    void addTo(float* out, float* rows, std::uint32_t* features, std::uint32_t* linear) const {
        float inverse[kPitch];
        packFeatures(rows, features, inverse);
        eachProduct(args.linear->values, args.paddedDim, features, [&](int d, auto& acc) {
            for (int c = 0; c < Cols; ++c) {
                const Float scale = Isa::loadFloat(inverse + c * Isa::kLanes);
                for (int r = 0; r < Isa::kRows; r += Arithmetic::kPerUnit)
                    Arithmetic::storeWeights(
                        linear + (d + r) / Arithmetic::kPerUnit * kPitch + c * Isa::kLanes,
                        Isa::mul(acc[r][c], scale), Isa::mul(acc[r + Arithmetic::kPerUnit - 1][c], scale));
            }
        });
        eachProduct(args.linear->projection, args.dim, linear, [&](int d, auto& acc) {
            for (int r = 0; r < Isa::kRows; ++r) {
                const bool biased = args.linear->bias != nullptr && d + r < args.dim;
                const Float bias = Isa::set1(biased ? args.linear->bias[d + r] : 0);
                for (int c = 0; c < Cols; ++c) {
                    float* at = out + (d + r) * kPitch + c * Isa::kLanes;
                    Isa::storeFloat(at, Isa::add(Isa::loadFloat(at), Isa::add(acc[r][c], bias)));
                }
            }
        });
    }
};

}  // namespace reelgrid::kernels::cpu
