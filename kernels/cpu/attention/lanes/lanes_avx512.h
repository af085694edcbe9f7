#pragma once

// AVX-512 (F, BW, VL, VNNI, BF16) lanes for attention_tile.h. Included by attention_avx512.cpp, and by
// attention_amx.cpp under its tiles.

#include <immintrin.h>
#include <math.h>

#include "kernels/cpu/attention/lanes/transpose_x86.h"
#include "kernels/cpu/attention/tile_kernels.h"

namespace reelgrid::kernels::cpu {
namespace {

struct Avx512 {
    using Float = __m512;
    using Int = __m512i;
    static constexpr InstructionSet kSet = InstructionSet::Avx512;
    static constexpr int kLanes = 16;
    // 8 × 3 accumulators: 24 of 32 registers, and 11 loads feed 24 multiply-adds.
    static constexpr int kRows = 8;
    static constexpr int kCols = 3;
    static constexpr bool kFewRegisters = false;

    static Int load(const std::uint32_t* p) { return _mm512_loadu_si512(p); }
    static Int broadcast(const std::uint32_t* p) { return _mm512_set1_epi32(static_cast<int>(*p)); }
    static void store(std::uint32_t* p, Int v) { _mm512_storeu_si512(p, v); }
    static Float loadFloat(const float* p) { return _mm512_loadu_ps(p); }
    static void storeFloat(float* p, Float v) { _mm512_storeu_ps(p, v); }
    static Float set1(float v) { return _mm512_set1_ps(v); }
    static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
    static Float sub(Float a, Float b) { return _mm512_sub_ps(a, b); }
    static Float mul(Float a, Float b) { return _mm512_mul_ps(a, b); }
    static Float fma(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
    static Float fmsub(Float a, Float b, Float c) { return _mm512_fmsub_ps(a, b, c); }
    static Float fnma(Float a, Float b, Float c) { return _mm512_fnmadd_ps(a, b, c); }
    static Float max(Float a, Float b) { return _mm512_max_ps(a, b); }
    /// The power of two at or below |a|; 0 below the normal numbers.
    static Float powerOfTwo(Float a) {
        return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(0x7F800000)));
    }
    /// The lanes times the 16 × 16 Hadamard matrix.
    static Float rotateLanes(Float a) {
        const auto step = [](Float x, Float swapped, __mmask16 upper) {
            return _mm512_fmadd_ps(x, _mm512_mask_mov_ps(set1(1), upper, set1(-1)), swapped);
        };
        a = step(a, _mm512_shuffle_f32x4(a, a, 0x4E), 0xFF00);
        a = step(a, _mm512_shuffle_f32x4(a, a, 0xB1), 0xF0F0);
        a = step(a, _mm512_permute_ps(a, 0x4E), 0xCCCC);
        return step(a, _mm512_permute_ps(a, 0xB1), 0xAAAA);
    }
    static Float abs(Float a) {
        return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(0x7FFFFFFF)));
    }
    static Float asFloat(Int v) { return _mm512_castsi512_ps(v); }
    static Int asInt(Float v) { return _mm512_castps_si512(v); }
    static bool anyDiffers(Float a, Float b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ) != 0; }
    static Float zeroWhereMinusInfinity(Float a) {
        const __mmask16 finite = _mm512_cmp_ps_mask(a, _mm512_set1_ps(-HUGE_VALF), _CMP_NEQ_UQ);
        return _mm512_maskz_mov_ps(finite, a);
    }
    static Float keepUpTo(Float score, const std::int32_t* limits, std::int32_t key) {
        const __mmask16 seen = _mm512_cmpge_epi32_mask(_mm512_loadu_si512(limits), _mm512_set1_epi32(key));
        return _mm512_mask_mov_ps(_mm512_set1_ps(-HUGE_VALF), seen, score);
    }

    /// 2^x for x ≤ 0 or NaN; −inf gives 0. Polynomial on [−½, ½] with 2^0 = 1 exactly; the relative error is
    /// 3e-6 for degree 4 (far below a 16-bit type's rounding) and 2e-8 for degree 6.
    template <int Degree>
    static Float exp2(Float x) {
        const Float whole = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        const Float f = _mm512_sub_ps(x, whole);
        Float p;
        if constexpr (Degree == 4) {
            p = set1(0.009582852944731712F);
            p = fma(p, f, set1(0.055906426161527634F));
            p = fma(p, f, set1(0.24024099111557007F));
            p = fma(p, f, set1(0.6931241750717163F));
        } else {
            static_assert(Degree == 6);
            p = set1(0.00015353361959569156F);
            p = fma(p, f, set1(0.0013398875016719103F));
            p = fma(p, f, set1(0.00961843691766262F));
            p = fma(p, f, set1(0.055503323674201965F));
            p = fma(p, f, set1(0.24022647738456726F));
            p = fma(p, f, set1(0.6931471824645996F));
        }
        p = fma(p, f, set1(1.0F));
        // −inf − −inf is NaN, and scalef(NaN, −inf) too: clear those.
        const __mmask16 number = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-HUGE_VALF), _CMP_NEQ_UQ);
        return _mm512_maskz_scalef_ps(number, p, whole);
    }

    static Float widen16(DataType type, const void* from, __mmask16 mask) {
        if (type == DataType::Float32) return _mm512_maskz_loadu_ps(mask, from);
        const __m256i half = _mm256_maskz_loadu_epi16(mask, from);
        if (type == DataType::Float16) return _mm512_cvtph_ps(half);
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
    }
    /// Elements d … d + 15 of a row, zeros beyond its end.
    template <DataType kType>
    static Float elementsAt(const char* row, int d, int dim) {
        const int left = dim - d;
        const __mmask16 mask = left >= 16 ? 0xFFFF : left <= 0 ? 0 : firstLanes(left);
        return widen16(kType, row + d * sizeOf(kType), mask);
    }
    /// The same elements of an output's row.
    template <DataType kType>
    static void storeElements(Float x, char* row, int d, int dim) {
        const __mmask16 mask = dim - d >= 16 ? 0xFFFF : firstLanes(dim - d);
        char* to = row + d * sizeOf(kType);
        if constexpr (kType == DataType::Float32)
            _mm512_mask_storeu_ps(to, mask, x);
        else if constexpr (kType == DataType::BFloat16)
            _mm256_mask_storeu_epi16(to, mask, halfFromBf16(_mm512_cvtneps_pbh(x)));
        else
            _mm256_mask_storeu_epi16(to, mask,
                                     _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    static __mmask16 firstLanes(int n) { return static_cast<__mmask16>((1U << n) - 1); }
    template <DataType kType>
    static void widenAs(const char* from, int n, float* to) {
        int i = 0;
        for (; i + 16 <= n; i += 16) storeFloat(to + i, widen16(kType, from + i * sizeOf(kType), 0xFFFF));
        if (i < n) storeFloat(to + i, widen16(kType, from + i * sizeOf(kType), firstLanes(n - i)));
    }
    /// And zeros up to a whole register: stores of parts would hold up the loads that follow.
    static void widen(DataType type, const void* from, int n, float* to) {
        const char* bytes = static_cast<const char*>(from);
        if (type == DataType::BFloat16)
            widenAs<DataType::BFloat16>(bytes, n, to);
        else if (type == DataType::Float16)
            widenAs<DataType::Float16>(bytes, n, to);
        else
            widenAs<DataType::Float32>(bytes, n, to);
    }
    static void narrow(DataType type, const float* from, int n, void* to) {
        for (int i = 0; i < n; i += 16) {
            const __mmask16 mask = n - i >= 16 ? 0xFFFF : firstLanes(n - i);
            const Float wide = _mm512_maskz_loadu_ps(mask, from + i);
            if (type == DataType::Float32) {
                _mm512_mask_storeu_ps(static_cast<float*>(to) + i, mask, wide);
            } else {
                const __m256i half =
                    type == DataType::BFloat16
                        ? halfFromBf16(_mm512_cvtneps_pbh(wide))
                        : _mm512_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
                _mm256_mask_storeu_epi16(static_cast<std::uint16_t*>(to) + i, mask, half);
            }
        }
    }
    static __m256i halfFromBf16(__m256bh v) { return reinterpret_cast<__m256i&>(v); }
    static __m512i intFromBf16(__m512bh v) { return reinterpret_cast<__m512i&>(v); }

    static Float roundBf16(Float v) {
        return _mm512_castsi512_ps(
            _mm512_slli_epi32(_mm512_cvtepu16_epi32(halfFromBf16(_mm512_cvtneps_pbh(v))), 16));
    }
    static Float roundFp16(Float v) {
        return _mm512_cvtph_ps(_mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }

    /// to[column][row] = from[row][column] for a whole Rows × columns panel; columns a multiple of 4.
    template <int Rows>
    static void transpose(const std::uint32_t* from, int fromPitch, int columns, std::uint32_t* to,
                          int toPitch) {
        if constexpr (Rows == 16) {
            for (int c = 0; c < columns; c += 4)
                transpose16x4(from + c, fromPitch, to + c * toPitch, toPitch);
        } else {
            static_assert(Rows == 8);
            for (int c = 0; c < columns; c += 4) transpose8x4(from + c, fromPitch, to + c * toPitch, toPitch);
        }
    }

  private:
    static void transpose16x4(const std::uint32_t* from, int fromPitch, std::uint32_t* to, int toPitch) {
        const auto quad = [&](int row) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + row * fromPitch));
        };
        // Lane l of rows[i] is row 4l + i, so that the in-lane transpose leaves rows 0…15 in order.
        __m512i rows[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            rows[i] = _mm512_castsi128_si512(quad(i));
            rows[i] = _mm512_inserti32x4(rows[i], quad(4 + i), 1);
            rows[i] = _mm512_inserti32x4(rows[i], quad(8 + i), 2);
            rows[i] = _mm512_inserti32x4(rows[i], quad(12 + i), 3);
        }
        const __m512i low01 = _mm512_unpacklo_epi32(rows[0], rows[1]);
        const __m512i high01 = _mm512_unpackhi_epi32(rows[0], rows[1]);
        const __m512i low23 = _mm512_unpacklo_epi32(rows[2], rows[3]);
        const __m512i high23 = _mm512_unpackhi_epi32(rows[2], rows[3]);
        store(to, _mm512_unpacklo_epi64(low01, low23));
        store(to + toPitch, _mm512_unpackhi_epi64(low01, low23));
        store(to + 2 * toPitch, _mm512_unpacklo_epi64(high01, high23));
        store(to + 3 * toPitch, _mm512_unpackhi_epi64(high01, high23));
    }
};

/// Two bf16 a unit, multiplied exactly and added in fp32.
struct Bf16Pairs {
    static constexpr int kPerUnit = 2;
    static constexpr int kExpDegree = 4;
    struct Dot {
        using Sum = __m512;
        static Sum start(std::int32_t) { return _mm512_setzero_ps(); }
        static Sum add(Sum sum, __m512i a, __m512i b) {
            return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh&>(a), reinterpret_cast<__m512bh&>(b));
        }
    };
    static __m512i pair(__m512 high, __m512 low) {
        return Avx512::intFromBf16(_mm512_cvtne2ps_pbh(high, low));
    }
    static void encodeRow(const float* row, int n, std::uint32_t* units) {
        int i = 0;
        for (; i + 32 <= n; i += 32)
            Avx512::store(units + i / 2, pair(_mm512_loadu_ps(row + i + 16), _mm512_loadu_ps(row + i)));
        if (i < n)  // n is a multiple of 16
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(units + i / 2),
                                Avx512::halfFromBf16(_mm512_cvtneps_pbh(_mm512_loadu_ps(row + i))));
    }
    /// Sixteen elements of a row and the next sixteen.
    static void storeUnits(std::uint32_t* units, __m512 first, __m512 second) {
        Avx512::store(units, pair(second, first));
    }
    static __m512i interleave(__m512 first, __m512 second) {
        const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8,
                                               23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
        return _mm512_permutexvar_epi16(order, pair(second, first));
    }
    static void encodeAcross(const float* first, const float* second, int n, std::uint32_t* units) {
        for (int i = 0; i < n; i += 16)
            Avx512::store(units + i, interleave(_mm512_loadu_ps(first + i), _mm512_loadu_ps(second + i)));
    }
    static void storeWeights(std::uint32_t* units, __m512 first, __m512 second) {
        Avx512::store(units, interleave(first, second));
    }
};

/// Four int8 a unit. VPDPBUSD wants one unsigned operand: queries carry +128, and every sum starts from
/// −128 · Σ k to take it away again, exactly.
struct Int8Quads {
    static constexpr int kPerUnit = 4;
    struct Dot {
        using Sum = __m512i;
        static Sum start(std::int32_t value) { return _mm512_set1_epi32(value); }
        static Sum add(Sum sum, __m512i queries, __m512i keys) {
            // Not the intrinsic: GCC 12 copies every sum before it and spills half of them.
            asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(queries), "v"(keys));
            return sum;
        }
        static __m512 toFloat(Sum sum) { return _mm512_cvtepi32_ps(sum); }
    };
    static void encodeBytes(const std::int32_t* integers, int n, int offset, std::uint32_t* units) {
        const __m512i shift = _mm512_set1_epi32(offset);
        for (int i = 0; i < n; i += 16)
            _mm_storeu_si128(reinterpret_cast<__m128i*>(units + i / 4),
                             _mm512_cvtepi32_epi8(_mm512_add_epi32(_mm512_loadu_si512(integers + i), shift)));
    }
    static void encodeQuery(const std::int32_t* integers, int n, std::uint32_t* units) {
        encodeBytes(integers, n, 128, units);
    }
    static std::int32_t encodeKey(const std::int32_t* integers, int n, std::uint32_t* units) {
        encodeBytes(integers, n, 0, units);
        std::int32_t sum = 0;
        for (int i = 0; i < n; ++i) sum += integers[i];
        return -128 * sum;
    }
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
