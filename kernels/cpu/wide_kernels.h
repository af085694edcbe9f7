#pragma once

// The kernels of an instruction set without products of narrow floats: AVX2 and the portable one.

#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/wide_arithmetic.h"

namespace reelgrid::kernels::cpu {

template <class Lanes, template <class, class> class Scores>
TileKernels exactWideKernels(DataType type) {
    using Bf16 = WideFloats<Lanes, Rounding::Bf16>;
    using Fp16 = WideFloats<Lanes, Rounding::Fp16>;
    using Fp32 = WideFloats<Lanes, Rounding::None>;
    switch (type) {
        case DataType::BFloat16:
            return tileKernels<Lanes, Scores<Lanes, Bf16>, PlainValues<Lanes, Bf16>>();
        case DataType::Float16:
            // sla's linear branch is bf16 for both 16-bit types: φ(k)ᵀ v may pass fp16's range.
            return tileKernels<Lanes, Scores<Lanes, Fp16>, PlainValues<Lanes, Fp16>, Bf16>();
        case DataType::Float32:
            break;
    }
    return tileKernels<Lanes, Scores<Lanes, Fp32>, PlainValues<Lanes, Fp32>>();
}

/// Instantiated once for each `Lanes`, in that instruction set's own source: the name never names two machine
/// codes.
template <class Lanes>
TileKernels wideKernels(Method method, DataType type) {
    using Integers = CentredInt8Scores<Lanes, Int16Pairs<Lanes>>;
    using Bf16 = WideFloats<Lanes, Rounding::Bf16>;
    using Fp32 = WideFloats<Lanes, Rounding::None>;
    switch (method) {
        case Method::Sage1:
            return tileKernels<Lanes, Integers, PlainValues<Lanes, Bf16>>();
        case Method::Flash3Sage:
            return tileKernels<Lanes, Integers, E4m3Values<Lanes, Fp32, 0>>();
        case Method::Flash3Fp8:
            return tileKernels<Lanes, RotatedE4m3Scores<Lanes, Fp32>, E4m3Values<Lanes, Fp32, 8>>();
        case Method::Flash3:
            return exactWideKernels<Lanes, LastFirstScores>(type);
        case Method::SparseLinear:
            return exactWideKernels<Lanes, SparseScores>(type);
        case Method::Flash:
            break;
    }
    return exactWideKernels<Lanes, PlainScores>(type);
}

}  // namespace reelgrid::kernels::cpu
