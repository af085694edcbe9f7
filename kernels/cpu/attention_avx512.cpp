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
            return tileKernels<Avx512, Scores<Avx512, Bf16Pairs>, Bf16Pairs>();
        case DataType::Float16:
            return tileKernels<Avx512, Scores<Avx512, Fp16>, Fp16>();
        case DataType::Float32:
            break;
    }
    return tileKernels<Avx512, Scores<Avx512, Fp32>, Fp32>();
}

}  // namespace

TileKernels avx512Kernels(Method method, DataType type) {
    switch (method) {
        case Method::Sage1:
            return tileKernels<Avx512, QuantisedScores<Avx512, Int8Quads>, Bf16Pairs>();
        case Method::Flash3:
            return exactKernels<LastFirstScores>(type);
        case Method::Flash:
            break;
    }
    return exactKernels<PlainScores>(type);
}

}  // namespace reelgrid::kernels::cpu
