#pragma once

// What sets the methods apart on matrix tiles: how scores are read and weights rounded. Included by
// attention_amx.cpp only.

#include "kernels/cpu/attention/amx/amx_products.h"
#include "kernels/cpu/attention/amx/tile_instructions.h"
#include "kernels/cpu/attention/lanes/lanes_avx512.h"
#include "kernels/cpu/attention/tiles/score_policies.h"

namespace reelgrid::kernels::cpu {
namespace {

struct Bf16Product {
    template <int C, int A, int B>
    static void add() {
        addBf16Product<C, A, B>();
    }
};
struct Int8Product {
    template <int C, int A, int B>
    static void add() {
        addInt8Product<C, A, B>();
    }
};

/// Keys are packed in panels of 16: a column of a tile each.
struct AmxPanels : Avx512 {
    static constexpr int kRows = 16;
    template <int Rows>
    static void transpose(const std::uint32_t* from, int fromPitch, int columns, std::uint32_t* to,
                          int toPitch) {
        static_assert(Rows == 16);
        Avx512::transpose<16>(from, fromPitch, columns, to, toPitch);
    }
};

/// Four int8 a unit, both operands signed.
struct SignedQuads : Int8Quads {
    static void encodeQuery(const std::int32_t* integers, int n, std::uint32_t* units) {
        encodeBytes(integers, n, 0, units);
    }
    static std::int32_t encodeKey(const std::int32_t* integers, int n, std::uint32_t* units) {
        encodeBytes(integers, n, 0, units);
        return 0;
    }
};

/// Scores that the tiles leave as floats.
template <class Packing, int TurnBlocks>
struct FloatScores : Packing {
    using Product = Bf16Product;
    using Start = FromZero;
    static constexpr int kTurnBlocks = TurnBlocks;
    /// What a product of 0 is left as.
    static constexpr float kZero = 0;
    static __m512 load(const float* scores) { return _mm512_load_ps(scores); }
    /// The larger ones of a row's 32 scores and `most`; NaNs are passed over.
    static __m512 raised(const float* scores, __m512 factor, __m512 most) {
        most = _mm512_max_ps(_mm512_mul_ps(load(scores), factor), most);
        return _mm512_max_ps(_mm512_mul_ps(load(scores + 16), factor), most);
    }
};

/// And as integers, which can be read as floats (FromFloatBits).
template <class Packing, int TurnBlocks>
struct IntegerScores : Packing {
    using Product = Int8Product;
    using Start = FromFloatBits;
    static constexpr int kTurnBlocks = TurnBlocks;
    static constexpr float kZero = 12582912.0F;
    static_assert(kLargestInt8 * kLargestInt8 * kMaxHeadDim < 1 << 22);
    static __m512 load(const float* scores) {
        return _mm512_sub_ps(_mm512_load_ps(scores), _mm512_set1_ps(kZero));
    }
    static __m512 raised(const float* scores, __m512 factor, __m512 most) {
        const __m512 largest = _mm512_max_ps(_mm512_load_ps(scores), _mm512_load_ps(scores + 16));
        return _mm512_max_ps(_mm512_mul_ps(_mm512_sub_ps(largest, _mm512_set1_ps(kZero)), factor), most);
    }
};

/// The keys whose weights, and values, share a unit: of each 32, `pair` % 16's two. pack() leaves weights in
/// this order: quads of the first 16 keys and of the last in turns.
constexpr int keyOfPair(int pair, int i) {
    return pair / 16 * 32 + pair % 4 / 2 * 16 + pair % 16 / 4 * 4 + pair % 2 * 2 + i;
}
/// Weights of 32 keys, in order, in the order of keyOfPair.
inline __m512i inOrderOfPairs(__m512i weights) {
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), weights);
}
using AmxPlainScores = FloatScores<PlainScores<AmxPanels, Bf16Pairs>, 4>;
using AmxInt8Scores = IntegerScores<CentredInt8Scores<AmxPanels, SignedQuads>, 4>;

/// 2^x for x up to a few dozen, −inf or NaN: the whole part by the scaling instruction, the rest by a
/// polynomial that is exact at both of its ends; the relative error is 3.4e-6.
inline __m512 powerOf2(__m512 x) {
    const __m512 rest = _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    __m512 p = _mm512_set1_ps(0.013555747456848621F);
    p = _mm512_fmadd_ps(p, rest, _mm512_set1_ps(0.05203237012028694F));
    p = _mm512_fmadd_ps(p, rest, _mm512_set1_ps(0.2413797676563263F));
    p = _mm512_fmadd_ps(p, rest, _mm512_set1_ps(0.6930321455001831F));
    p = _mm512_fmadd_ps(p, rest, _mm512_set1_ps(1.0F));
    return _mm512_scalef_ps(p, x);
}

/// P as bf16. Whatever base weights are relative to, they keep as many bits.
struct Bf16Weights {
    static constexpr bool kScaled = false;
    static constexpr bool kFreeBase = true;
    static constexpr int kOffset = 0;
    static __m512 weight(__m512 x) { return powerOf2(x); }
    /// Of keys 0 … 15 and 16 … 31 of a query, in the order of keyOfPair.
    static __m512i pack(__m512 first, __m512 second) {
        return inOrderOfPairs(Bf16Pairs::pair(second, first));
    }
};

/// P and V as e4m3, which bf16 holds exactly; P is 2^Offset times the weight, relative to the largest score
/// so far.
template <int Offset>
struct E4m3Weights {
    static constexpr bool kScaled = true;
    static constexpr bool kFreeBase = false;
    static constexpr int kOffset = Offset;
    static __m512 weight(__m512 x) { return powerOf2(x); }
    static __m512i pack(__m512 first, __m512 second) {
        // Their upper halves: bf16 holds them exactly.
        alignas(64) static constexpr std::uint16_t kUpperHalves[32] = {
            1,  3,  5,  7,  33, 35, 37, 39, 9,  11, 13, 15, 41, 43, 45, 47,
            17, 19, 21, 23, 49, 51, 53, 55, 25, 27, 29, 31, 57, 59, 61, 63};
        return _mm512_permutex2var_epi16(_mm512_castps_si512(roundE4m3<Avx512>(first)),
                                         _mm512_load_si512(kUpperHalves),
                                         _mm512_castps_si512(roundE4m3<Avx512>(second)));
    }
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
