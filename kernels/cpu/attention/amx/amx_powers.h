#pragma once

// Powers of two that are rounded to bf16 at once, in 16-bit integers. While products of tiles run, one of the
// two vector ports does no arithmetic of floats, but sums and permutations of integers: 15 instructions for
// 32 weights, of which five need the one port that does, instead of 22, of which 17 did. Included by
// attention_amx.cpp only.

#include <immintrin.h>

#include <cstdint>

#include "kernels/cpu/attention/amx/amx_products.h"

namespace reelgrid::kernels::cpu {
namespace {

/// bf16(2^x) for x from −44 (what is below becomes 2^-44) to 20: x in steps of 2^-10, whose upper bits are
/// the exponent; the mantissa, 2^f − 1 = f − (f + 1 − 2^f), by a table of 128 entries. Off by 0.174 % in the
/// root of the mean square over all mantissas, where rounding alone is off by 0.166 %.
class ShortPowers {
  public:
    static constexpr float kSteps = 1024;
    static constexpr float kLimit = 20;
    /// What x − kLimit in steps is added to: floats whose last bit is worth 1. Half a bf16's last bit is in
    /// it.
    static constexpr float kBase = 12582912.0F + 4.0F;

    /// x of two times 16 weights, each in steps and above kBase, as bf16 in the order of keyOfPair.
    __attribute__((always_inline)) __m512i round(__m512 first, __m512 second) {
        const __m512i a = _mm512_castps_si512(first);
        const __m512i b = _mm512_castps_si512(second);
        m_seen = _mm512_ternarylogic_epi32(m_seen, a, b, 0xFE);
        const __m512i zero = _mm512_set1_epi32(0x4B400000 - 32768);
        const __m512i steps = _mm512_packs_epi32(_mm512_sub_epi32(a, zero), _mm512_sub_epi32(b, zero));
        const __m512i entry = _mm512_multishift_epi64_epi8(m_shifts, steps);
        const __m512i less = _mm512_maskz_permutex2var_epi8(0x5555555555555555, m_lower, entry, m_upper);
        const __m512i bits = _mm512_srai_epi16(_mm512_sub_epi16(steps, less), 3);
        return _mm512_add_epi16(bits, _mm512_set1_epi16((127 - 12) << 7));
    }

    /// Whether some x was kLimit or more, or a NaN. True for some x below −4000, too.
    [[nodiscard]] bool leftRange() const {
        // x below kLimit leaves the sign, the exponent's bits and the mantissa's highest as they are at 2^23.
        return _mm512_test_epi32_mask(m_seen, _mm512_set1_epi32(static_cast<int>(0xB4C00000U))) != 0;
    }

  private:
    /// 1024 · (f + 1 − 2^f), in the middle of what it is over the eight steps of an entry. The first
    /// one is 0 (it should be 1), so that nothing is taken from the lowest of all 16-bit integers.
    alignas(64) static constexpr std::uint8_t kTable[128] = {
        0,  2,  5,  7,  9,  12, 14, 16, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45,
        46, 48, 50, 51, 53, 55, 56, 58, 59, 61, 62, 64, 65, 66, 68, 69, 70, 71, 72, 73, 74, 75,
        76, 77, 78, 79, 80, 81, 82, 82, 83, 84, 84, 85, 85, 86, 86, 87, 87, 87, 87, 88, 88, 88,
        88, 88, 88, 88, 88, 88, 88, 88, 87, 87, 87, 86, 86, 85, 85, 84, 84, 83, 82, 81, 81, 80,
        79, 78, 77, 76, 75, 74, 72, 71, 70, 69, 67, 66, 64, 63, 61, 59, 58, 56, 54, 52, 50, 48,
        46, 44, 42, 40, 38, 35, 33, 31, 28, 26, 23, 20, 18, 15, 12, 9,  6,  3};

    __m512i m_seen = _mm512_setzero_si512();
    /// Which eight bits of a quadword become a byte: those above the lowest three of each word, and its upper
    /// byte whatever they are.
    __m512i m_shifts = _mm512_set1_epi64(0x3333232313130303);
    __m512i m_lower = _mm512_load_si512(kTable);
    __m512i m_upper = _mm512_load_si512(kTable + 64);
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
