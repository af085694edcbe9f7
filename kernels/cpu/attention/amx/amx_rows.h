#pragma once

// Rows (tokens) on their way into tiles, each element touched once in a register. The same arithmetic as
// row_arithmetic.h and score_policies.h have, element by element. Included by attention_amx.cpp only.

#include <math.h>

#include <cstring>

#include "kernels/cpu/attention/lanes/lanes_avx512.h"
#include "kernels/cpu/attention/tile_kernels.h"

namespace reelgrid::kernels::cpu {
namespace {

constexpr int kTileUnits = 256;  // of a tile of memory

template <DataType kType>
struct TypeIs {
    static constexpr DataType kValue = kType;
};

/// Registers of a row, known to the compiler.
template <int kVectors>
struct VectorsAre {
    static constexpr int kValue = kVectors;
};

/// f(TypeIs<type>), so that loops are compiled for one type.
template <class F>
inline void forType(DataType type, F f) {
    if (type == DataType::BFloat16)
        f(TypeIs<DataType::BFloat16>{});
    else if (type == DataType::Float16)
        f(TypeIs<DataType::Float16>{});
    else
        f(TypeIs<DataType::Float32>{});
}

inline const char* rowAt(const RowArgs& args, int row) {
    return static_cast<const char*>(args.rows) + row * args.rowStride * sizeOf(args.type);
}

inline const char* queryAt(const TileArgs& args, int query) {
    return static_cast<const char*>(args.q) + query * args.qStride * sizeOf(args.type);
}

/// Elements d … d + 15 of a row, zeros beyond its end.
template <DataType kType>
inline __m512 elementsAt(const char* row, int d, int dim) {
    const int left = dim - d;
    const __mmask16 mask = left >= 16 ? 0xFFFF : left <= 0 ? 0 : Avx512::firstLanes(left);
    return Avx512::widen16(kType, row + d * sizeOf(kType), mask);
}

/// x / scale as division rounds it, in three multiply-adds: `inverse` is 1 / scale, and the remainder of the
/// first guess corrects it (Markstein). Scales that are too small for that divide.
class Divisor {
  public:
    explicit Divisor(__m512 scale)
        : m_scale(scale),
          m_inverse(_mm512_div_ps(_mm512_set1_ps(1), scale)),
          m_small(_mm512_cmp_ps_mask(scale, _mm512_set1_ps(1e-30F), _CMP_NGE_UQ)) {}

    [[nodiscard]] __m512 into(__m512 x) const {
        if (m_small != 0) return _mm512_div_ps(x, m_scale);
        const __m512 guess = _mm512_mul_ps(x, m_inverse);
        return _mm512_fmadd_ps(_mm512_fnmadd_ps(guess, m_scale, x), m_inverse, guess);
    }

  private:
    __m512 m_scale;
    __m512 m_inverse;
    __mmask16 m_small;
};

inline void sumTileRows(const RowArgs& args, float* sums) {
    forType(args.type, [&](auto type) {
        constexpr DataType kType = decltype(type)::kValue;
        // Dimensions that are summed side by side, so that rows are read from their beginning to their end.
        constexpr int kTogether = 8;
        for (int first = 0; first < args.paddedDim; first += 16 * kTogether) {
            __m512 sum[kTogether];
            for (auto& each : sum) each = _mm512_setzero_ps();
            for (int r = 0; r < args.count; ++r)
#pragma GCC unroll 8
                for (int i = 0; i < kTogether; ++i)
                    sum[i] =
                        _mm512_add_ps(sum[i], elementsAt<kType>(rowAt(args, r), first + 16 * i, args.dim));
            for (int i = 0; i < kTogether && first + 16 * i < args.paddedDim; ++i)
                _mm512_storeu_ps(sums + first + 16 * i, sum[i]);
        }
    });
}

inline void tileChannelMaxima(const RowArgs& args, float* maxima) {
    forType(args.type, [&](auto type) {
        constexpr DataType kType = decltype(type)::kValue;
        for (int d = 0; d < args.paddedDim; d += 16) {
            __m512 most = _mm512_setzero_ps();
            for (int r = 0; r < args.count; ++r)
                most = _mm512_max_ps(Avx512::abs(elementsAt<kType>(rowAt(args, r), d, args.dim)), most);
            _mm512_storeu_ps(maxima + d, most);
        }
    });
}

/// max |x| over many registers, or NaN when there is a NaN or an infinity.
class LargestInRegisters {
  public:
    void see(__m512 x) { m_most = _mm512_max_epi32(m_most, _mm512_castps_si512(Avx512::abs(x))); }
    [[nodiscard]] float result() const {
        const int bits = _mm512_reduce_max_epi32(m_most);
        float largest = 0;
        std::memcpy(&largest, &bits, 4);
        return largest - largest == 0 ? largest : NAN;
    }

  private:
    __m512i m_most = _mm512_setzero_si512();  // as integers, NaNs and infinities are above every number
};

/// The largest |x − mean| of the rows times `factor` / 127, NaN when there is a NaN or an infinity.
inline float int8ScaleOfRows(const RowArgs& args, float factor) {
    LargestInRegisters largest;
    forType(args.type, [&](auto type) {
        constexpr DataType kType = decltype(type)::kValue;
        for (int r = 0; r < args.count; ++r) {
            const char* row = rowAt(args, r);
            for (int d = 0; d < args.paddedDim; d += 16) {
                __m512 x = elementsAt<kType>(row, d, args.dim);
                if (args.mean != nullptr) x = _mm512_sub_ps(x, _mm512_loadu_ps(args.mean + d));
                largest.see(x);
            }
        }
    });
    return largest.result() * factor / kLargestInt8;
}

/// Integers of a row: (x − mean) · factor / scale, rounded half away from zero. A scale of 0, or none, leaves
/// zeros.
template <DataType kType>
inline void int8Row(const char* row, int dim, int paddedDim, const float* mean, const float* factor,
                    float scale, std::uint32_t* units) {
    if (!(scale > 0) || scale > 3.0e38F) {
        std::memset(units, 0, static_cast<std::size_t>(paddedDim));
        return;
    }
    const Divisor divisor(_mm512_set1_ps(scale));
    const __m512i sign = _mm512_set1_epi32(static_cast<int>(0x80000000U));
    const __m512i half = _mm512_castps_si512(_mm512_set1_ps(0.5F));
    for (int d = 0; d < paddedDim; d += 16) {
        __m512 x = elementsAt<kType>(row, d, dim);
        if (mean != nullptr) x = _mm512_sub_ps(x, _mm512_loadu_ps(mean + d));
        if (factor != nullptr) x = _mm512_mul_ps(x, _mm512_set1_ps(*factor));
        const __m512 units16 = divisor.into(x);
        const __m512i away = _mm512_or_si512(_mm512_and_si512(_mm512_castps_si512(units16), sign), half);
        const __m512i whole = _mm512_cvttps_epi32(_mm512_add_ps(units16, _mm512_castsi512_ps(away)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(units + d / 4), _mm512_cvtepi32_epi8(whole));
    }
}

/// A block of bf16 keys that need no more than to be turned. False when they do.
inline bool packBf16KeysAsTheyAre(const PackArgs& args) {
    if (args.type != DataType::BFloat16 || args.dim != args.paddedDim || args.count != kBlockKeys ||
        args.rowStride % 2 != 0 || args.rowStride > (1 << 28))
        return false;
    const int steps = args.paddedDim / 2;
    for (int first = 0; first < kBlockKeys; first += 16)
        Avx512::transpose<16>(reinterpret_cast<const std::uint32_t*>(rowAt(args, first)),
                              static_cast<int>(args.rowStride / 2), steps, args.units + first * steps, 16);
    return true;
}

/// A block of bf16 values that need no more than to be paired. False when they do.
template <class KeyOfPair>
inline bool packBf16ValuesAsTheyAre(const PackArgs& args, KeyOfPair keyOfPair) {
    if (args.type != DataType::BFloat16 || args.dim != args.paddedDim || args.count != kBlockKeys)
        return false;
    alignas(64) static constexpr std::uint16_t kLower[32] = {0,  32, 1,  33, 2,  34, 3,  35, 4,  36, 5,
                                                             37, 6,  38, 7,  39, 8,  40, 9,  41, 10, 42,
                                                             11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
    const __m512i lower = _mm512_load_si512(kLower);
    const __m512i upper = _mm512_add_epi16(lower, _mm512_set1_epi16(16));
    for (int pair = 0; pair < kBlockKeys / 2; ++pair) {
        const char* first = rowAt(args, keyOfPair(pair, 0));
        const char* second = rowAt(args, keyOfPair(pair, 1));
        std::uint32_t* to = args.units + pair / 16 * 16 * args.paddedDim + pair % 16 * 16;
        for (int d = 0; d < args.paddedDim; d += 32) {
            const __m512i a = _mm512_loadu_si512(first + d * 2);
            const __m512i b = _mm512_loadu_si512(second + d * 2);
            _mm512_storeu_si512(to + d * 16, _mm512_permutex2var_epi16(a, lower, b));
            _mm512_storeu_si512(to + d * 16 + kTileUnits, _mm512_permutex2var_epi16(a, upper, b));
        }
    }
    return true;
}

}  // namespace
}  // namespace reelgrid::kernels::cpu
