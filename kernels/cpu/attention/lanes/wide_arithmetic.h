#pragma once

// Arithmetics that every instruction set has: fp32, and int16 pairs for the machines without int8 dot
// products.

#include "kernels/cpu/attention/tile_kernels.h"

namespace reelgrid::kernels::cpu {

/// What P and V are rounded to before their product, so that a machine without a 16-bit multiply still makes
/// the errors of one.
enum class Rounding { None, Bf16, Fp16 };

template <class Isa, Rounding kRounding>
struct WideFloats {
    static constexpr int kPerUnit = 1;
    static constexpr int kExpDegree = kRounding == Rounding::None ? 6 : 4;
    struct Dot {
        using Sum = typename Isa::Float;
        static Sum start(std::int32_t) { return Isa::set1(0); }
        static Sum add(Sum sum, typename Isa::Int a, typename Isa::Int b) {
            return Isa::fma(Isa::asFloat(a), Isa::asFloat(b), sum);
        }
    };
    static typename Isa::Float rounded(typename Isa::Float v) {
        if constexpr (kRounding == Rounding::Bf16)
            return Isa::roundBf16(v);
        else if constexpr (kRounding == Rounding::Fp16)
            return Isa::roundFp16(v);
        else
            return v;
    }
    static void encodeRow(const float* row, int n, std::uint32_t* units) {
        for (int i = 0; i < n; i += Isa::kLanes)
            Isa::store(units + i, Isa::asInt(rounded(Isa::loadFloat(row + i))));
    }
    static void encodeAcross(const float* row, const float*, int n, std::uint32_t* units) {
        encodeRow(row, n, units);
    }
    static void storeWeights(std::uint32_t* units, typename Isa::Float weight, typename Isa::Float) {
        Isa::store(units, Isa::asInt(rounded(weight)));
    }
};

/// Two int16 a unit, holding int8 values: the same exact sums as an int8 dot product.
template <class Isa>
struct Int16Pairs {
    static constexpr int kPerUnit = 2;
    struct Dot {
        using Sum = typename Isa::Int;
        static Sum start(std::int32_t value) { return Isa::set1Int(value); }
        static Sum add(Sum sum, typename Isa::Int a, typename Isa::Int b) { return Isa::addPairs(sum, a, b); }
        static typename Isa::Float toFloat(Sum sum) { return Isa::toFloat(sum); }
    };
    static void encodeQuery(const std::int32_t* integers, int n, std::uint32_t* units) {
        Isa::narrowToInt16(integers, n, units);
    }
    static std::int32_t encodeKey(const std::int32_t* integers, int n, std::uint32_t* units) {
        encodeQuery(integers, n, units);
        return 0;
    }
};

}  // namespace reelgrid::kernels::cpu
