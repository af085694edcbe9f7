#pragma once

// Lanes for any machine: loops of fixed length that a compiler can turn into whatever it has.
// Included by attention_portable.cpp only.

#include <math.h>

#include <cstring>

#include "kernels/attention/half_types.h"
#include "kernels/cpu/attention/tile_kernels.h"

namespace reelgrid::kernels::cpu {
namespace {

struct Portable {
    static constexpr InstructionSet kSet = InstructionSet::Portable;
    static constexpr int kLanes = 4;
    static constexpr int kRows = 4;
    static constexpr int kCols = 3;
    static constexpr bool kFewRegisters = false;
    struct Float {
        float v[kLanes];
    };
    struct Int {
        std::int32_t v[kLanes];
    };

    template <class Out, class Function>
    static Out each(Function function) {
        Out out;
        for (int i = 0; i < kLanes; ++i) out.v[i] = function(i);
        return out;
    }
    template <class T, class From>
    static T loadAs(const From* p) {
        T out;
        std::memcpy(&out, p, sizeof out);
        return out;
    }
    static Int load(const std::uint32_t* p) { return loadAs<Int>(p); }
    static Int broadcast(const std::uint32_t* p) { return set1Int(static_cast<std::int32_t>(*p)); }
    static void store(std::uint32_t* p, Int v) { std::memcpy(p, &v, sizeof v); }
    static Float loadFloat(const float* p) { return loadAs<Float>(p); }
    static void storeFloat(float* p, Float v) { std::memcpy(p, &v, sizeof v); }
    static Float set1(float v) {
        return each<Float>([&](int) { return v; });
    }
    static Int set1Int(std::int32_t v) {
        return each<Int>([&](int) { return v; });
    }
    static Float asFloat(Int v) { return loadAs<Float>(&v); }
    static Int asInt(Float v) { return loadAs<Int>(&v); }
    static Float toFloat(Int a) {
        return each<Float>([&](int i) { return static_cast<float>(a.v[i]); });
    }
    static Float add(Float a, Float b) {
        return each<Float>([&](int i) { return a.v[i] + b.v[i]; });
    }
    static Float sub(Float a, Float b) {
        return each<Float>([&](int i) { return a.v[i] - b.v[i]; });
    }
    static Float mul(Float a, Float b) {
        return each<Float>([&](int i) { return a.v[i] * b.v[i]; });
    }
    static Float fma(Float a, Float b, Float c) {
        return each<Float>([&](int i) { return a.v[i] * b.v[i] + c.v[i]; });
    }
    static Float fmsub(Float a, Float b, Float c) {
        return each<Float>([&](int i) { return a.v[i] * b.v[i] - c.v[i]; });
    }
    static Float fnma(Float a, Float b, Float c) {
        return each<Float>([&](int i) { return c.v[i] - a.v[i] * b.v[i]; });
    }
    /// The power of two at or below |a|; 0 below the normal numbers.
    static Float powerOfTwo(Float a) {
        return each<Float>([&](int i) { return floatFromBits(bitsOfFloat(a.v[i]) & 0x7F800000U); });
    }
    /// The lanes times the 4 × 4 Hadamard matrix.
    static Float rotateLanes(Float a) {
        for (const int half : {2, 1})
            a = each<Float>(
                [&](int i) { return (i & half) == 0 ? a.v[i] + a.v[i ^ half] : a.v[i ^ half] - a.v[i]; });
        return a;
    }
    static Float max(Float a, Float b) {
        return each<Float>([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
    }
    static Float abs(Float a) {
        return each<Float>([&](int i) { return fabsf(a.v[i]); });
    }
    static Int addPairs(Int sum, Int a, Int b) {
        return each<Int>([&](int i) {
            const auto low = [](std::int32_t x) {
                return static_cast<std::int32_t>(static_cast<std::int16_t>(x));
            };
            return sum.v[i] + low(a.v[i]) * low(b.v[i]) + (a.v[i] >> 16) * (b.v[i] >> 16);
        });
    }
    static void narrowToInt16(const std::int32_t* from, int n, std::uint32_t* to) {
        for (int i = 0; i < n; i += 2)
            to[i / 2] = (static_cast<std::uint32_t>(from[i]) & 0xFFFFU) |
                        static_cast<std::uint32_t>(from[i + 1]) << 16;
    }
    static bool anyDiffers(Float a, Float b) {
        bool any = false;
        for (int i = 0; i < kLanes; ++i) any |= a.v[i] != b.v[i];
        return any;
    }
    static Float zeroWhereMinusInfinity(Float a) {
        return each<Float>([&](int i) { return a.v[i] == -HUGE_VALF ? 0.0F : a.v[i]; });
    }
    static Float keepUpTo(Float score, const std::int32_t* limits, std::int32_t key) {
        return each<Float>([&](int i) { return limits[i] >= key ? score.v[i] : -HUGE_VALF; });
    }

    template <int Degree>
    static Float exp2(Float x) {
        return each<Float>([&](int i) { return exp2f(x.v[i]); });
    }

    /// And zeros up to a whole register.
    static void widen(DataType type, const void* from, int n, float* to) {
        for (int i = n; i % kLanes != 0; ++i) to[i] = 0;
        if (type == DataType::Float32) {
            std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
            return;
        }
        const auto* half = static_cast<const std::uint16_t*>(from);
        for (int i = 0; i < n; ++i)
            to[i] = type == DataType::BFloat16 ? floatFromBf16(half[i]) : floatFromFp16(half[i]);
    }
    static void narrow(DataType type, const float* from, int n, void* to) {
        if (type == DataType::Float32) {
            std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
            return;
        }
        auto* half = static_cast<std::uint16_t*>(to);
        for (int i = 0; i < n; ++i)
            half[i] = type == DataType::BFloat16 ? bf16FromFloat(from[i]) : fp16FromFloat(from[i]);
    }
    static Float roundBf16(Float a) {
        return each<Float>([&](int i) { return floatFromBf16(bf16FromFloat(a.v[i])); });
    }
    static Float roundFp16(Float a) {
        return each<Float>([&](int i) { return floatFromFp16(fp16FromFloat(a.v[i])); });
    }

    template <int Rows>
    static void transpose(const std::uint32_t* from, int fromPitch, int columns, std::uint32_t* to,
                          int toPitch) {
        for (int c = 0; c < columns; ++c)
            for (int r = 0; r < Rows; ++r)
                std::memcpy(to + c * toPitch + r, from + r * fromPitch + c, sizeof(std::uint32_t));
    }
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
