#pragma once

// The weights of a turn that all queries see all of, relative to bases that are there (AmxTile). Included by
// attention_amx.cpp only.

#include "kernels/cpu/attention/amx/amx_policies.h"
#include "kernels/cpu/attention/amx/amx_powers.h"

namespace reelgrid::kernels::cpu {
namespace {

/// The weights of a plain turn as fp32 has them, with their sum: for a log-sum-exp.
template <class Scores, class Values>
class FullWeights {
  public:
    static constexpr float kSteps = 1;
    /// What weigh() wants for weights relative to 2^base.
    static __m512 shiftOf(__m512 base, float /*factor*/) { return base; }
    /// The weights of a query for 32 keys, in the order of keyOfPair; `factor` is what scores are worth times
    /// kSteps. Adds them to `sums`.
    __attribute__((always_inline)) __m512i weigh(const float* scores, float factor, float shift,
                                                 __m512& sums) {
        const __m512 factors = _mm512_set1_ps(factor);
        const __m512 shifts = _mm512_set1_ps(shift);
        const __m512 a = Values::weight(_mm512_fmsub_ps(Scores::load(scores), factors, shifts));
        const __m512 b = Values::weight(_mm512_fmsub_ps(Scores::load(scores + 16), factors, shifts));
        sums = _mm512_add_ps(_mm512_add_ps(a, b), sums);
        const __m512i packed = Values::pack(a, b);
        m_highest = _mm512_max_epu16(m_highest, packed);
        return packed;
    }
    /// The sign bit and NaNs are above every number.
    [[nodiscard]] bool leftRange() const {
        return _mm512_cmpgt_epu16_mask(m_highest, _mm512_set1_epi16((127 + 16) << 7)) != 0;
    }

  private:
    __m512i m_highest = _mm512_setzero_si512();
};

/// The weights of a plain turn as bf16 has them, and the sum of those.
template <class Scores>
class ShortWeights {
  public:
    static constexpr float kSteps = ShortPowers::kSteps;
    static __m512 shiftOf(__m512 base, float factor) {
        const __m512 shift =
            _mm512_fnmadd_ps(_mm512_add_ps(base, _mm512_set1_ps(ShortPowers::kLimit)),
                             _mm512_set1_ps(ShortPowers::kSteps), _mm512_set1_ps(ShortPowers::kBase));
        if constexpr (Scores::kZero == 0) return shift;
        return _mm512_fnmadd_ps(_mm512_set1_ps(Scores::kZero), _mm512_set1_ps(factor), shift);
    }
    __attribute__((always_inline)) __m512i weigh(const float* scores, float factor, float shift,
                                                 __m512& sums) {
        const __m512 factors = _mm512_set1_ps(factor);
        const __m512 shifts = _mm512_set1_ps(shift);
        const __m512i packed = m_powers.round(_mm512_fmadd_ps(_mm512_load_ps(scores), factors, shifts),
                                              _mm512_fmadd_ps(_mm512_load_ps(scores + 16), factors, shifts));
        sums = Bf16Pairs::Dot::add(sums, packed, _mm512_set1_epi32(0x3F803F80));
        return packed;
    }
    [[nodiscard]] bool leftRange() const { return m_powers.leftRange(); }

  private:
    ShortPowers m_powers;
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
