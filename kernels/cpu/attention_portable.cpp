// Compiled with the flags of the rest of the program.

#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/lanes_portable.h"
#include "kernels/cpu/wide_arithmetic.h"

namespace reelgrid::kernels::cpu {

TileKernels portableKernels(Method method, DataType type) {
    using Bf16 = WideFloats<Portable, Rounding::Bf16>;
    using Fp16 = WideFloats<Portable, Rounding::Fp16>;
    using Fp32 = WideFloats<Portable, Rounding::None>;
    if (method == Method::Sage1)
        return tileKernels<Portable, QuantisedScores<Portable, Int16Pairs<Portable>>, Bf16>();
    switch (type) {
        case DataType::BFloat16:
            return tileKernels<Portable, PlainScores<Portable, Bf16>, Bf16>();
        case DataType::Float16:
            return tileKernels<Portable, PlainScores<Portable, Fp16>, Fp16>();
        case DataType::Float32:
            break;
    }
    return tileKernels<Portable, PlainScores<Portable, Fp32>, Fp32>();
}

}  // namespace reelgrid::kernels::cpu
