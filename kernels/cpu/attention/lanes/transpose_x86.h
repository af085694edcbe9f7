#pragma once

// Transposes of 32-bit units that both AVX sources use. In an anonymous namespace: each source keeps its own
// copy.

#include <immintrin.h>

#include <cstdint>

namespace reelgrid::kernels::cpu {
namespace {

/// to[c][r] = from[r][c] for 8 rows and 4 columns.
[[maybe_unused]] inline void transpose8x4(const std::uint32_t* from, int fromPitch, std::uint32_t* to,
                                          int toPitch) {
    // The upper half of rows[i] is row 4 + i, so that the in-lane transpose leaves rows 0…7 in order.
    __m256i rows[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        const auto* low = reinterpret_cast<const __m128i*>(from + i * fromPitch);
        const auto* high = reinterpret_cast<const __m128i*>(from + (4 + i) * fromPitch);
        rows[i] =
            _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)), _mm_loadu_si128(high), 1);
    }
    const __m256i low01 = _mm256_unpacklo_epi32(rows[0], rows[1]);
    const __m256i high01 = _mm256_unpackhi_epi32(rows[0], rows[1]);
    const __m256i low23 = _mm256_unpacklo_epi32(rows[2], rows[3]);
    const __m256i high23 = _mm256_unpackhi_epi32(rows[2], rows[3]);
    const auto store = [&](int column, __m256i v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + column * toPitch), v);
    };
    store(0, _mm256_unpacklo_epi64(low01, low23));
    store(1, _mm256_unpackhi_epi64(low01, low23));
    store(2, _mm256_unpacklo_epi64(high01, high23));
    store(3, _mm256_unpackhi_epi64(high01, high23));
}

/// The same for 4 rows.
[[maybe_unused]] inline void transpose4x4(const std::uint32_t* from, int fromPitch, std::uint32_t* to,
                                          int toPitch) {
    const auto row = [&](int i) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * fromPitch));
    };
    const __m128i low01 = _mm_unpacklo_epi32(row(0), row(1));
    const __m128i high01 = _mm_unpackhi_epi32(row(0), row(1));
    const __m128i low23 = _mm_unpacklo_epi32(row(2), row(3));
    const __m128i high23 = _mm_unpackhi_epi32(row(2), row(3));
    const auto store = [&](int column, __m128i v) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + column * toPitch), v);
    };
    store(0, _mm_unpacklo_epi64(low01, low23));
    store(1, _mm_unpackhi_epi64(low01, low23));
    store(2, _mm_unpacklo_epi64(high01, high23));
    store(3, _mm_unpackhi_epi64(high01, high23));
}

}  // namespace
}  // namespace reelgrid::kernels::cpu
