#pragma once

// The work on one row, written so that the compiler vectorises it; included by one source an instruction set,
// hence the unnamed namespace and the builtins: no function may be shared between those sources.

#include <cstdint>

#include "kernels/cpu/transformer/fused.h"

namespace reelgrid::kernels::transformer {

/// One instruction set's row functions.
struct FusedRows {
    template <class T>
    struct Of {
        void (*addThenNorm)(const Rows&, float* x, const T* y, const float* gate, const float* weight,
                            const float* bias, T* out);
        void (*rmsNormRotate)(const Rows&, T* x, const float* weight, const float* cos, const float* sin,
                              std::int64_t headDim);
        void (*headNormRotate)(const Rows&, T* x, std::int64_t headDim, const float* weight,
                               const float* bias, const float* cosSin);
        void (*geluTanh)(T* x, std::int64_t count);
    };
    Of<BFloat16> bf16;
    Of<float> fp32;
};

const FusedRows& fusedAvx512();
const FusedRows& fusedAvx2();

namespace {

typedef std::uint32_t __attribute__((may_alias, aligned(2))) LoosePair;

[[gnu::always_inline]] inline float floatOf(float x) {
    return x;
}
[[gnu::always_inline]] inline float floatOf(BFloat16 x) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(x.bits) << 16);
}

/// The upper half holds x rounded to bfloat16, to nearest even; a NaN stays one.
[[gnu::always_inline]] inline std::uint32_t roundedBits(float x) {
    const auto bits = __builtin_bit_cast(std::uint32_t, x);
    const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
    return x == x ? rounded : 0x7fc00000U;
}
[[gnu::always_inline]] inline void store(float* to, float x) {
    *to = x;
}
[[gnu::always_inline]] inline void store(BFloat16* to, float x) {
    to->bits = static_cast<std::uint16_t>(roundedBits(x) >> 16);
}

/// 1 / (1 + e^-x): e^-x is 2^n 2^f with a polynomial for 2^f, |f| <= 1/2, relative error below 2e-7.
[[gnu::always_inline]] inline float sigmoid(float x) {
    // Beyond 126 the power leaves fp32. Clamped as integers: the compiler turns a selection of floats into
    // a second path through all that follows.
    constexpr std::uint32_t kSign = 0x80000000U, kLimit = __builtin_bit_cast(std::uint32_t, 126.0F);
    const auto bits = __builtin_bit_cast(std::uint32_t, x * -1.44269504088896341F);
    const std::uint32_t size = (bits & ~kSign) < kLimit ? (bits & ~kSign) : kLimit;
    const float y = __builtin_bit_cast(float, size | (bits & kSign));
    constexpr float kRound = 12582912.0F;  // 1.5 2^23: adding it leaves the nearest integer in the low bits
    const float shifted = y + kRound;
    const float f = y - (shifted - kRound);
    float power = f * 1.5403530e-4F + 1.3333558e-3F;
    power = power * f + 9.6181291e-3F;
    power = power * f + 5.5504109e-2F;
    power = power * f + 2.4022651e-1F;
    power = power * f + 6.9314718e-1F;
    power = power * f + 1.0F;
    const std::uint32_t scaled =
        __builtin_bit_cast(std::uint32_t, power) + (__builtin_bit_cast(std::uint32_t, shifted) << 23);
    return 1.0F / (1.0F + __builtin_bit_cast(float, scaled));
}

template <class T>
void addThenNormRow(const Rows& rows, float* __restrict x, const T* __restrict y,
                    const float* __restrict gate, const float* __restrict weight,
                    const float* __restrict bias, T* __restrict out) {
    const std::int64_t n = rows.channels;
    float sum = 0;
    if (y && gate) {
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < n; ++i) {
            x[i] += floatOf(y[i]) * gate[i];
            sum += x[i];
        }
    } else if (y) {
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < n; ++i) {
            x[i] += floatOf(y[i]);
            sum += x[i];
        }
    } else {
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < n; ++i) sum += x[i];
    }
    if (!out) return;
    const float mean = sum / static_cast<float>(n);
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const float scale = 1.0F / __builtin_sqrtf(squares / static_cast<float>(n) + rows.eps);
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) store(out + i, (x[i] - mean) * scale * weight[i] + bias[i]);
}

/// Normalises and rotates one pair at a time: a pair of bfloat16 is one 32-bit word.
[[gnu::always_inline]] inline void rotateHead(BFloat16* x, const float* __restrict weight, float scale,
                                              const float* __restrict cos, const float* __restrict sin,
                                              std::int64_t pairs) {
    auto* words = reinterpret_cast<LoosePair*>(x);
#pragma omp simd
    for (std::int64_t p = 0; p < pairs; ++p) {
        const std::uint32_t word = words[p];
        const float even = __builtin_bit_cast(float, word << 16) * scale * weight[2 * p];
        const float odd = __builtin_bit_cast(float, word & 0xffff0000U) * scale * weight[2 * p + 1];
        words[p] = (roundedBits(even * cos[p] - odd * sin[p]) >> 16) |
                   (roundedBits(even * sin[p] + odd * cos[p]) & 0xffff0000U);
    }
}
[[gnu::always_inline]] inline void rotateHead(float* __restrict x, const float* __restrict weight,
                                              float scale, const float* __restrict cos,
                                              const float* __restrict sin, std::int64_t pairs) {
#pragma omp simd
    for (std::int64_t p = 0; p < pairs; ++p) {
        const float even = x[2 * p] * scale * weight[2 * p], odd = x[2 * p + 1] * scale * weight[2 * p + 1];
        x[2 * p] = even * cos[p] - odd * sin[p];
        x[2 * p + 1] = even * sin[p] + odd * cos[p];
    }
}

template <class T>
void rmsNormRotateRow(const Rows& rows, T* x, const float* weight, const float* cos, const float* sin,
                      std::int64_t headDim) {
    const std::int64_t n = rows.channels;
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < n; ++i) squares += floatOf(x[i]) * floatOf(x[i]);
    const float scale = 1.0F / __builtin_sqrtf(squares / static_cast<float>(n) + rows.eps);
    if (cos) {
        for (std::int64_t head = 0; head < n; head += headDim)
            rotateHead(x + head, weight + head, scale, cos, sin, headDim / 2);
    } else {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) store(x + i, floatOf(x[i]) * scale * weight[i]);
    }
}

/// (even + i odd)(cos + i sin) of one pair.
[[gnu::always_inline]] inline void storePair(BFloat16* to, float even, float odd) {
    *reinterpret_cast<LoosePair*>(to) = (roundedBits(even) >> 16) | (roundedBits(odd) & 0xffff0000U);
}
[[gnu::always_inline]] inline void storePair(float* to, float even, float odd) {
    to[0] = even;
    to[1] = odd;
}
[[gnu::always_inline]] inline void loadPair(const BFloat16* from, float& even, float& odd) {
    const std::uint32_t word = *reinterpret_cast<const LoosePair*>(from);
    even = __builtin_bit_cast(float, word << 16);
    odd = __builtin_bit_cast(float, word & 0xffff0000U);
}
[[gnu::always_inline]] inline void loadPair(const float* from, float& even, float& odd) {
    even = from[0];
    odd = from[1];
}

/// One head, of a size that the compiler may know.
template <class T>
[[gnu::always_inline]] inline void headNormRotateHead(T* x, std::int64_t headDim, float eps,
                                                      const float* __restrict weight,
                                                      const float* __restrict bias,
                                                      const float* __restrict cosSin) {
    const auto n = static_cast<float>(headDim);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < headDim; ++i) sum += floatOf(x[i]);
    const float mean = sum / n;
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < headDim; ++i) {
        const float distance = floatOf(x[i]) - mean;
        squares += distance * distance;
    }
    const float scale = 1.0F / __builtin_sqrtf(squares / n + eps);
    if (cosSin == nullptr) {
#pragma omp simd
        for (std::int64_t i = 0; i < headDim; ++i)
            store(x + i, (floatOf(x[i]) - mean) * scale * weight[i] + bias[i]);
        return;
    }
#pragma omp simd
    for (std::int64_t p = 0; p < headDim / 2; ++p) {
        float even = 0, odd = 0;
        loadPair(x + 2 * p, even, odd);
        even = (even - mean) * scale * weight[2 * p] + bias[2 * p];
        odd = (odd - mean) * scale * weight[2 * p + 1] + bias[2 * p + 1];
        const float cos = cosSin[2 * p], sin = cosSin[2 * p + 1];
        storePair(x + 2 * p, even * cos - odd * sin, even * sin + odd * cos);
    }
}

template <class T>
void headNormRotateRow(const Rows& rows, T* x, std::int64_t headDim, const float* weight, const float* bias,
                       const float* cosSin) {
    constexpr std::int64_t kUsualHeadDim = 64;
    for (std::int64_t head = 0; head < rows.channels; head += headDim)
        if (headDim == kUsualHeadDim)
            headNormRotateHead(x + head, kUsualHeadDim, rows.eps, weight, bias, cosSin);
        else
            headNormRotateHead(x + head, headDim, rows.eps, weight, bias, cosSin);
}

template <class T>
void geluTanhRow(T* x, std::int64_t count) {
    constexpr float kTwiceRoot = 1.59576912160573071F;  // 2 sqrt(2 / pi): 1 + tanh(u) is 2 sigmoid(2 u)
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
        const float v = floatOf(x[i]);
        store(x + i, v * sigmoid(kTwiceRoot * (v + 0.044715F * v * v * v)));
    }
}

template <class T>
constexpr FusedRows::Of<T> kRowsOf{&addThenNormRow<T>, &rmsNormRotateRow<T>, &headNormRotateRow<T>,
                                   &geluTanhRow<T>};
constexpr FusedRows kRows{kRowsOf<BFloat16>, kRowsOf<float>};

}  // namespace
}  // namespace reelgrid::kernels::transformer
