#pragma once

// AVX2 + FMA + F16C lanes for attention_tile.h. Included by attention_avx2.cpp only.

#include <immintrin.h>
#include <math.h>

#include <cstring>

#include "kernels/attention/half_types.h"
#include "kernels/cpu/attention/lanes/transpose_x86.h"
#include "kernels/cpu/attention/tile_kernels.h"

namespace reelgrid::kernels::cpu {
namespace {

struct Avx2 {
    using Float = __m256;
    using Int = __m256i;
    static constexpr InstructionSet kSet = InstructionSet::Avx2;
    static constexpr int kLanes = 8;
    // 4 × 3 accumulators, 3 registers of lanes and one broadcast: all 16 registers.
    static constexpr int kRows = 4;
    static constexpr int kCols = 3;
    static constexpr bool kFewRegisters = true;

    static Int load(const std::uint32_t* p) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    }
    static Int broadcast(const std::uint32_t* p) { return _mm256_set1_epi32(static_cast<int>(*p)); }
    static void store(std::uint32_t* p, Int v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
    static Float loadFloat(const float* p) { return _mm256_loadu_ps(p); }
    static void storeFloat(float* p, Float v) { _mm256_storeu_ps(p, v); }
    static Float set1(float v) { return _mm256_set1_ps(v); }
    static Int set1Int(std::int32_t v) { return _mm256_set1_epi32(v); }
    static Float asFloat(Int v) { return _mm256_castsi256_ps(v); }
    static Int asInt(Float v) { return _mm256_castps_si256(v); }
    static Float toFloat(Int v) { return _mm256_cvtepi32_ps(v); }
    static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
    static Float sub(Float a, Float b) { return _mm256_sub_ps(a, b); }
    static Float mul(Float a, Float b) { return _mm256_mul_ps(a, b); }
    static Float fma(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
    static Float fmsub(Float a, Float b, Float c) { return _mm256_fmsub_ps(a, b, c); }
    static Float fnma(Float a, Float b, Float c) { return _mm256_fnmadd_ps(a, b, c); }
    static Float max(Float a, Float b) { return _mm256_max_ps(a, b); }
    /// The power of two at or below |a|; 0 below the normal numbers.
    static Float powerOfTwo(Float a) { return _mm256_and_ps(a, asFloat(set1Int(0x7F800000))); }
    /// The lanes times the 8 × 8 Hadamard matrix.
    static Float rotateLanes(Float a) {
        const auto step = [](Float x, Float swapped, Float upperSigns) {
            return _mm256_add_ps(_mm256_xor_ps(x, upperSigns), swapped);
        };
        constexpr float n = -0.0F;
        a = step(a, _mm256_permute2f128_ps(a, a, 1), _mm256_setr_ps(0, 0, 0, 0, n, n, n, n));
        a = step(a, _mm256_permute_ps(a, 0x4E), _mm256_setr_ps(0, 0, n, n, 0, 0, n, n));
        return step(a, _mm256_permute_ps(a, 0xB1), _mm256_setr_ps(0, n, 0, n, 0, n, 0, n));
    }
    static Float abs(Float a) { return _mm256_andnot_ps(set1(-0.0F), a); }
    static Int addPairs(Int sum, Int a, Int b) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }
    /// n, a multiple of 16, small integers as int16.
    static void narrowToInt16(const std::int32_t* from, int n, std::uint32_t* to) {
        for (int i = 0; i < n; i += 16) {
            const auto* at = reinterpret_cast<const __m256i*>(from + i);
            const Int packed = _mm256_packs_epi32(_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1));
            store(to + i / 2, _mm256_permute4x64_epi64(packed, 0xD8));
        }
    }
    static bool anyDiffers(Float a, Float b) {
        return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NEQ_UQ)) != 0;
    }
    static Float zeroWhereMinusInfinity(Float a) {
        return _mm256_and_ps(a, _mm256_cmp_ps(a, set1(-HUGE_VALF), _CMP_NEQ_UQ));
    }
    static Float keepUpTo(Float score, const std::int32_t* limits, std::int32_t key) {
        const __m256i hidden =
            _mm256_cmpgt_epi32(set1Int(key), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(limits)));
        return _mm256_blendv_ps(score, set1(-HUGE_VALF), asFloat(hidden));
    }

    /// As Avx512::exp2; results below 2^-126 are 0.
    template <int Degree>
    static Float exp2(Float x) {
        const Float bounded = max(set1(-127.0F), x);  // in this order a NaN stays
        const Float whole = _mm256_round_ps(bounded, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        const Float f = _mm256_sub_ps(bounded, whole);
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
        const Int exponent = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(whole), set1Int(127)), 23);
        return mul(p, asFloat(exponent));
    }

    static Float widen8(DataType type, const void* from) {
        if (type == DataType::Float32) return _mm256_loadu_ps(static_cast<const float*>(from));
        const __m128i half = _mm_loadu_si128(static_cast<const __m128i*>(from));
        if (type == DataType::Float16) return _mm256_cvtph_ps(half);
        return asFloat(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
    }
    /// And zeros up to a whole register.
    static void widen(DataType type, const void* from, int n, float* to) {
        const char* bytes = static_cast<const char*>(from);
        const std::int64_t size = sizeOf(type);
        int i = 0;
        for (; i + 8 <= n; i += 8) storeFloat(to + i, widen8(type, bytes + i * size));
        if (i == n) return;
        alignas(32) char tail[32] = {};
        std::memcpy(tail, bytes + i * size, static_cast<std::size_t>((n - i) * size));
        storeFloat(to + i, widen8(type, tail));
    }
    static void narrow8(DataType type, Float v, void* to) {
        if (type == DataType::Float32) {
            _mm256_storeu_ps(static_cast<float*>(to), v);
            return;
        }
        __m128i half;
        if (type == DataType::Float16) {
            half = _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        } else {
            const Int bits = _mm256_srli_epi32(asInt(roundBf16(v)), 16);
            half = _mm_packus_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
        }
        _mm_storeu_si128(static_cast<__m128i*>(to), half);
    }
    /// Elements d … d + 7 of a row, whose length is a multiple of 8.
    template <DataType kType>
    static Float elementsAt(const char* row, int d, int dim) {
        return d < dim ? widen8(kType, row + d * sizeOf(kType)) : set1(0);
    }
    template <DataType kType>
    static void storeElements(Float x, char* row, int d, int /*dim*/) {
        narrow8(kType, x, row + d * sizeOf(kType));
    }
    static void narrow(DataType type, const float* from, int n, void* to) {
        char* bytes = static_cast<char*>(to);
        const std::int64_t size = sizeOf(type);
        int i = 0;
        for (; i + 8 <= n; i += 8) narrow8(type, loadFloat(from + i), bytes + i * size);
        if (i == n) return;
        alignas(32) float wide[8] = {};
        alignas(32) char tail[32];
        std::memcpy(wide, from + i, static_cast<std::size_t>(n - i) * sizeof(float));
        narrow8(type, loadFloat(wide), tail);
        std::memcpy(bytes + i * size, tail, static_cast<std::size_t>((n - i) * size));
    }

    static Float roundBf16(Float v) {
        const Int bits = asInt(v);
        const Int odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), set1Int(1));
        const Int up = _mm256_add_epi32(bits, _mm256_add_epi32(odd, set1Int(0x7FFF)));
        const Int rounded = _mm256_and_si256(up, set1Int(static_cast<std::int32_t>(0xFFFF0000U)));
        const Float nan = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
        return _mm256_blendv_ps(asFloat(rounded), v, nan);
    }
    static Float roundFp16(Float v) {
        return _mm256_cvtph_ps(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }

    template <int Rows>
    static void transpose(const std::uint32_t* from, int fromPitch, int columns, std::uint32_t* to,
                          int toPitch) {
        for (int c = 0; c < columns; c += 4) {
            if constexpr (Rows == 8) {
                transpose8x4(from + c, fromPitch, to + c * toPitch, toPitch);
            } else {
                static_assert(Rows == 4);
                transpose4x4(from + c, fromPitch, to + c * toPitch, toPitch);
            }
        }
    }
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
