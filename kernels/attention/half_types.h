#pragma once

// The 16-bit types as integers. Everything is `static`: these functions are compiled into sources with
// different instruction set flags, and the linker must not merge one of those copies into another.

#include <cstdint>
#include <cstring>

namespace reelgrid::kernels {

static inline float floatFromBits(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
static inline std::uint32_t bitsOfFloat(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float floatFromBf16(std::uint16_t half) {
    return floatFromBits(std::uint32_t{half} << 16);
}

/// Round to nearest even; a NaN stays a NaN.
static inline std::uint16_t bf16FromFloat(float value) {
    const std::uint32_t bits = bitsOfFloat(value);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

static inline float floatFromFp16(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000U) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1FU;
    const std::uint32_t mantissa = half & 0x3FFU;
    if (exponent == 0x1FU) return floatFromBits(sign | 0x7F800000U | (mantissa << 13));
    if (exponent != 0) return floatFromBits(sign | ((exponent + 112U) << 23) | (mantissa << 13));
    const float tiny = static_cast<float>(mantissa) * 5.9604644775390625e-08F;  // subnormal: mantissa · 2^-24
    return floatFromBits(sign | bitsOfFloat(tiny));
}

/// Round to nearest even, overflow to infinity, subnormals kept; a NaN stays a NaN.
static inline std::uint16_t fp16FromFloat(float value) {
    const std::uint32_t bits = bitsOfFloat(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);
    if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);  // ≥ 65520
    if (magnitude < 0x38800000U) {
        // Below 2^-14 the spacing is 2^-24: adding 0.5 makes the float's own rounding do the work.
        const float shifted = floatFromBits(magnitude) + 0.5F;
        return static_cast<std::uint16_t>(sign | (bitsOfFloat(shifted) - 0x3F000000U));
    }
    const std::uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13) & 1U);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

}  // namespace reelgrid::kernels
