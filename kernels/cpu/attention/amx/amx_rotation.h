#pragma once

// fav3_fp8's queries and keys on their way into tiles: rotated, scaled and rounded to e4m3 in registers. The
// same arithmetic as RotatedE4m3Scores has, element by element. Included by attention_amx.cpp only.

#include "kernels/cpu/attention/amx/amx_policies.h"
#include "kernels/cpu/attention/amx/amx_rows.h"

namespace reelgrid::kernels::cpu {
namespace {

/// rotateRow() of a row of 16 · kVectors dimensions, the missing ones 0.
template <DataType kType, int kVectors>
struct RotatedRow {
    __m512 at[kVectors];

    __attribute__((always_inline)) RotatedRow(const char* row, int dim, const float* signs) {
#pragma GCC unroll 16
        for (int i = 0; i < kVectors; ++i)
            at[i] = _mm512_mul_ps(elementsAt<kType>(row, 16 * i, dim), _mm512_loadu_ps(signs + 16 * i));
#pragma GCC unroll 4
        for (int half = kVectors / 2; half > 0; half /= 2)
#pragma GCC unroll 16
            for (int i = 0; i < kVectors; ++i) {
                if ((i & half) != 0) continue;
                const __m512 a = at[i], b = at[i + half];
                at[i] = _mm512_add_ps(a, b);
                at[i + half] = _mm512_sub_ps(a, b);
            }
#pragma GCC unroll 16
        for (int i = 0; i < kVectors; ++i) at[i] = Avx512::rotateLanes(at[i]);
    }
};

/// f(VectorsAre<registers of a row>) of a rotation's lengths: powers of two of 32 at least.
template <class F>
inline void forRotation(int paddedDim, F f) {
    static_assert(kMaxHeadDim == 256);
    if (paddedDim == 32)
        f(VectorsAre<2>{});
    else if (paddedDim == 64)
        f(VectorsAre<4>{});
    else if (paddedDim == 128)
        f(VectorsAre<8>{});
    else
        f(VectorsAre<16>{});
}

/// x / scale to the nearest e4m3 value, as pairs of bf16; zeros where the scale is 0.
template <DataType kType, int kVectors>
inline void e4m3Row(const char* row, int dim, const float* signs, float scale, std::uint32_t* units) {
    if (scale == 0) {
        std::memset(units, 0, sizeof(float) * 8 * kVectors);
        return;
    }
    const RotatedRow<kType, kVectors> rotated(row, dim, signs);
    const Divisor divisor(_mm512_set1_ps(scale));
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; i += 2)
        Avx512::store(units + 8 * i, Bf16Pairs::pair(roundE4m3<Avx512>(divisor.into(rotated.at[i + 1])),
                                                     roundE4m3<Avx512>(divisor.into(rotated.at[i]))));
}

struct AmxE4m3Scores : FloatScores<RotatedE4m3Scores<AmxPanels, Bf16Pairs>, 6> {
    static void packKeys(const PackArgs& args) {
        forType(args.type, [&](auto type) {
            forRotation(args.paddedDim, [&](auto vectors) {
                packRows<AmxPanels>(args, kDimsPerUnit, [&](int row, float* /*wide*/, std::uint32_t* units) {
                    e4m3Row<decltype(type)::kValue, decltype(vectors)::kValue>(
                        rowAt(args, row), args.dim, args.signs, args.scales[row / kScaleGrain], units);
                });
            });
        });
    }

    /// A query from how it is stored to how it is multiplied.
    static void encodeStored(const TileArgs& args, int query, std::uint32_t* units) {
        forType(args.type, [&](auto type) {
            forRotation(args.paddedDim, [&](auto vectors) {
                e4m3Row<decltype(type)::kValue, decltype(vectors)::kValue>(
                    queryAt(args, query), args.dim, args.signs,
                    args.queryScales[(args.firstQuery + query) / args.scaleQueries], units);
            });
        });
    }

    /// The largest magnitude of the rows / 448, NaN when there is a NaN or an infinity.
    static float scaleOfRows(const RowArgs& args, float /*factor*/) {
        LargestInRegisters largest;
        forType(args.type, [&](auto type) {
            forRotation(args.paddedDim, [&](auto vectors) {
                for (int r = 0; r < args.count; ++r) {
                    const RotatedRow<decltype(type)::kValue, decltype(vectors)::kValue> row(
                        rowAt(args, r), args.dim, args.signs);
                    for (const __m512 each : row.at) largest.see(each);
                }
            });
        });
        return largest.result() / kLargestE4m3;
    }
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
