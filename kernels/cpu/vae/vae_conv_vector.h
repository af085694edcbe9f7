#pragma once

// Vectors of L floats in the compiler's own notation; included only by the sources of one instruction set
// each, hence the unnamed namespace: no function may be shared between them.

#include <bit>
#include <cstdint>

namespace reelgrid::kernels {
namespace {

template <int L>
struct Lanes;
template <>
struct Lanes<8> {
    typedef float Float __attribute__((vector_size(32)));
    typedef float Loose __attribute__((vector_size(32), aligned(4), may_alias));
    typedef std::int32_t Int __attribute__((vector_size(32)));
};
template <>
struct Lanes<16> {
    typedef float Float __attribute__((vector_size(64)));
    typedef float Loose __attribute__((vector_size(64), aligned(4), may_alias));
    typedef std::int32_t Int __attribute__((vector_size(64)));
};

template <int L>
[[gnu::always_inline]] inline typename Lanes<L>::Float load(const float* from) {
    return *reinterpret_cast<const typename Lanes<L>::Loose*>(from);
}

template <int L>
[[gnu::always_inline]] inline void store(float* to, typename Lanes<L>::Float value) {
    *reinterpret_cast<typename Lanes<L>::Loose*>(to) = value;
}

/// All lanes the number. Written as a difference, which compilers drop: a sum with zeros would stay, for the
/// sake of −0, and cost an addition and a shuffle where one load broadcasts.
template <int L>
[[gnu::always_inline]] inline typename Lanes<L>::Float splat(float value) {
    return value - typename Lanes<L>::Float{};
}

#ifdef __AVX512F__
[[gnu::always_inline]] inline Lanes<16>::Float joined(Lanes<8>::Float a, Lanes<8>::Float b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#endif

// Pairwise, so that the additions don't wait for each other.
template <int L>
[[gnu::always_inline]] inline float sumOf(typename Lanes<L>::Float v) {
    if constexpr (L == 16)
        v += __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    if constexpr (L == 16) {
        v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3);
    } else {
        v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    }
    return (v[0] + v[2]) + (v[1] + v[3]);
}

/// x / (1 + e^−x). e^x is 2^n · 2^f with a polynomial for 2^f, |f| ≤ ½: relative error below 2e-7.
template <int L>
[[gnu::always_inline]] inline typename Lanes<L>::Float silu(typename Lanes<L>::Float x) {
    using Float = typename Lanes<L>::Float;
    using Int = typename Lanes<L>::Int;
    Float y = x * -1.44269504088896341f;
    // Beyond it e^−x would leave fp32; there silu is x or 0 to the last bit anyway.
    y = y > 126.0f ? splat<L>(126.0f) : y;
    y = y < -126.0f ? splat<L>(-126.0f) : y;
    constexpr float kRound = 12582912.0f;  // 1.5·2^23: adding it leaves the nearest integer in the low bits
    const Float shifted = y + kRound;
    const Float f = y - (shifted - kRound);
    Float power = f * 1.5403530e-4f + 1.3333558e-3f;
    power = power * f + 9.6181291e-3f;
    power = power * f + 5.5504109e-2f;
    power = power * f + 2.4022651e-1f;
    power = power * f + 6.9314718e-1f;
    power = power * f + 1.0f;
    const Int scaled = (std::bit_cast<Int>(shifted) << 23) + std::bit_cast<Int>(power);
    return x / (std::bit_cast<Float>(scaled) + 1.0f);
}

}  // namespace
}  // namespace reelgrid::kernels
