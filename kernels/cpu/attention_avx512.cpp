// Compiled with AVX-512 flags: nothing here runs unless instruction_set.cpp found the instructions.

#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/lanes_avx512.h"
#include "kernels/cpu/wide_arithmetic.h"

namespace reelgrid::kernels::cpu {

TileKernels avx512Kernels(Method method, DataType type) {
    if (method == Method::Sage1) return tileKernels<Avx512, QuantisedScores<Avx512, Int8Quads>, Bf16Pairs>();
    switch (type) {
        case DataType::BFloat16:
            return tileKernels<Avx512, PlainScores<Avx512, Bf16Pairs>, Bf16Pairs>();
        case DataType::Float16: {
            // No FP16 arithmetic here: exact products in fp32 of operands that are rounded as fp16.
            using Values = WideFloats<Avx512, Rounding::Fp16>;
            return tileKernels<Avx512, PlainScores<Avx512, Values>, Values>();
        }
        case DataType::Float32:
            break;
    }
    using Values = WideFloats<Avx512, Rounding::None>;
    return tileKernels<Avx512, PlainScores<Avx512, Values>, Values>();
}

}  // namespace reelgrid::kernels::cpu
