// Compiled with AVX2 flags: nothing here runs unless instruction_set.cpp found the instructions.

#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/lanes_avx2.h"
#include "kernels/cpu/wide_arithmetic.h"

namespace reelgrid::kernels::cpu {

TileKernels avx2Kernels(Method method, DataType type) {
    using Bf16 = WideFloats<Avx2, Rounding::Bf16>;
    using Fp16 = WideFloats<Avx2, Rounding::Fp16>;
    using Fp32 = WideFloats<Avx2, Rounding::None>;
    if (method == Method::Sage1) return tileKernels<Avx2, QuantisedScores<Avx2, Int16Pairs<Avx2>>, Bf16>();
    switch (type) {
        case DataType::BFloat16:
            return tileKernels<Avx2, PlainScores<Avx2, Bf16>, Bf16>();
        case DataType::Float16:
            return tileKernels<Avx2, PlainScores<Avx2, Fp16>, Fp16>();
        case DataType::Float32:
            break;
    }
    return tileKernels<Avx2, PlainScores<Avx2, Fp32>, Fp32>();
}

}  // namespace reelgrid::kernels::cpu
