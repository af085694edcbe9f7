#pragma once

// Which policies make a method, once for every instruction set. Included by the sources of the instruction
// sets only (see attention_tile.h).

#include "kernels/cpu/attention/lanes/wide_arithmetic.h"
#include "kernels/cpu/attention/tiles/short_sequence.h"
#include "kernels/cpu/attention/tiles/tile_walk.h"

namespace reelgrid::kernels::cpu {

/// The tiles of an exact method, and whole heads of short sequences where the lanes read single elements.
template <class Isa, class Arithmetic, DataType kType, template <class, class> class Scores, class Linear>
TileKernels exactKernelsOf() {
    TileKernels kernels = tileKernels<Isa, Scores<Isa, Arithmetic>, PlainValues<Isa, Arithmetic>, Linear>();
    if constexpr (Isa::kSet != InstructionSet::Portable)
        kernels.attendShort = &attendShort<Isa, Arithmetic, kType>;
    return kernels;
}

/// fav2, fav3 and sla in the type of their input.
template <class Isa, class Bf16, template <class, class> class Scores>
TileKernels exactKernels(DataType type) {
    if (type == DataType::BFloat16)
        return exactKernelsOf<Isa, Bf16, DataType::BFloat16, Scores, PlainValues<Isa, Bf16>>();
    // No FP16 arithmetic here: exact products in fp32 of operands that are rounded as fp16.
    using Fp16 = WideFloats<Isa, Rounding::Fp16>;
    using Fp32 = WideFloats<Isa, Rounding::None>;
    // sla's linear branch is bf16 for both 16-bit types: φ(k)ᵀ v may pass fp16's range.
    if (type == DataType::Float16)
        return exactKernelsOf<Isa, Fp16, DataType::Float16, Scores, WideFloats<Isa, Rounding::Bf16>>();
    return exactKernelsOf<Isa, Fp32, DataType::Float32, Scores, PlainValues<Isa, Fp32>>();
}

/// `Integers` holds int8 values, `E4m3` every e4m3 value exactly. `Isa` is of the including source alone, so
/// the name never names two machine codes.
template <class Isa, class Bf16, class Integers, class E4m3>
TileKernels methodKernels(Method method, DataType type) {
    switch (method) {
        case Method::Sage1:
            return tileKernels<Isa, CentredInt8Scores<Isa, Integers>, PlainValues<Isa, Bf16>>();
        case Method::Sage2:
            return tileKernels<Isa, CentredInt8Scores<Isa, Integers, 1>, RaisedE4m3Values<Isa, E4m3>>();
        case Method::Flash3Sage:
            return tileKernels<Isa, CentredInt8Scores<Isa, Integers>, E4m3Values<Isa, E4m3, 0>>();
        case Method::Flash3Fp8:
            return tileKernels<Isa, RotatedE4m3Scores<Isa, E4m3>, E4m3Values<Isa, E4m3, 8>>();
        case Method::Flash3:
            return exactKernels<Isa, Bf16, LastFirstScores>(type);
        case Method::SparseLinear:
        case Method::SlidingTile:
        case Method::Radial:
            return exactKernels<Isa, Bf16, SparseScores>(type);
        case Method::Sparge:
            return exactKernels<Isa, Bf16, PredictedScores>(type);
        case Method::SageSparseLinear: {
            using Scores = SparseInt8Scores<Isa, Integers>;
            using Values = RaisedE4m3Values<Isa, E4m3>;
            if (type == DataType::Float32)
                return tileKernels<Isa, Scores, Values, WideFloats<Isa, Rounding::None>>();
            return tileKernels<Isa, Scores, Values, Bf16>();
        }
        case Method::Flash:
            break;
    }
    return exactKernels<Isa, Bf16, PlainScores>(type);
}

/// For an instruction set without products of narrow floats: AVX2 and the portable one.
template <class Isa>
TileKernels wideKernels(Method method, DataType type) {
    return methodKernels<Isa, WideFloats<Isa, Rounding::Bf16>, Int16Pairs<Isa>,
                         WideFloats<Isa, Rounding::None>>(method, type);
}

}  // namespace reelgrid::kernels::cpu
