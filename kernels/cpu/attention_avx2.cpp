// Compiled with AVX2 flags: nothing here runs unless instruction_set.cpp found the instructions.

#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/lanes_avx2.h"
#include "kernels/cpu/wide_arithmetic.h"

namespace reelgrid::kernels::cpu {

namespace {

template <template <class, class> class Scores>
TileKernels exactKernels(DataType type) {
    using Bf16 = WideFloats<Avx2, Rounding::Bf16>;
    using Fp16 = WideFloats<Avx2, Rounding::Fp16>;
    using Fp32 = WideFloats<Avx2, Rounding::None>;
    switch (type) {
        case DataType::BFloat16:
            return tileKernels<Avx2, Scores<Avx2, Bf16>, Bf16>();
        case DataType::Float16:
            return tileKernels<Avx2, Scores<Avx2, Fp16>, Fp16>();
        case DataType::Float32:
            break;
    }
    return tileKernels<Avx2, Scores<Avx2, Fp32>, Fp32>();
}

}  // namespace

TileKernels avx2Kernels(Method method, DataType type) {
    switch (method) {
        case Method::Sage1:
            return tileKernels<Avx2, QuantisedScores<Avx2, Int16Pairs<Avx2>>,
                               WideFloats<Avx2, Rounding::Bf16>>();
        case Method::Flash3:
            return exactKernels<LastFirstScores>(type);
        case Method::Flash:
            break;
    }
    return exactKernels<PlainScores>(type);
}

}  // namespace reelgrid::kernels::cpu
