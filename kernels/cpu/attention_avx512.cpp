// Compiled with AVX-512 flags: nothing here runs unless instruction_set.cpp found the instructions.

#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/lanes_avx512.h"
#include "kernels/cpu/wide_arithmetic.h"

namespace reelgrid::kernels::cpu {

namespace {

template <template <class, class> class Scores>
TileKernels exactKernels(DataType type) {
    // No FP16 arithmetic here: exact products in fp32 of operands that are rounded as fp16.
    using Fp16 = WideFloats<Avx512, Rounding::Fp16>;
    using Fp32 = WideFloats<Avx512, Rounding::None>;
    switch (type) {
        case DataType::BFloat16:
            return tileKernels<Avx512, Scores<Avx512, Bf16Pairs>, PlainValues<Avx512, Bf16Pairs>>();
        case DataType::Float16:
            // sla's linear branch is bf16 for both 16-bit types: φ(k)ᵀ v may pass fp16's range.
            return tileKernels<Avx512, Scores<Avx512, Fp16>, PlainValues<Avx512, Fp16>,
                               WideFloats<Avx512, Rounding::Bf16>>();
        case DataType::Float32:
            break;
    }
    return tileKernels<Avx512, Scores<Avx512, Fp32>, PlainValues<Avx512, Fp32>>();
}

}  // namespace

TileKernels avx512Kernels(Method method, DataType type) {
    using Integers = CentredInt8Scores<Avx512, Int8Quads>;
    switch (method) {
        case Method::Sage1:
            return tileKernels<Avx512, Integers, PlainValues<Avx512, Bf16Pairs>>();
        case Method::Flash3Sage:
            return tileKernels<Avx512, Integers, E4m3Values<Avx512, Bf16Pairs, 0>>();
        case Method::Flash3Fp8:
            return tileKernels<Avx512, RotatedE4m3Scores<Avx512, Bf16Pairs>,
                               E4m3Values<Avx512, Bf16Pairs, 8>>();
        case Method::Flash3:
            return exactKernels<LastFirstScores>(type);
        case Method::SparseLinear:
            return exactKernels<SparseScores>(type);
        case Method::Flash:
            break;
    }
    return exactKernels<PlainScores>(type);
}

}  // namespace reelgrid::kernels::cpu
