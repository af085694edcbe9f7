// Compiled with the flags of the rest of the program.

#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/lanes_portable.h"
#include "kernels/cpu/wide_arithmetic.h"

namespace reelgrid::kernels::cpu {

namespace {

template <template <class, class> class Scores>
TileKernels exactKernels(DataType type) {
    using Bf16 = WideFloats<Portable, Rounding::Bf16>;
    using Fp16 = WideFloats<Portable, Rounding::Fp16>;
    using Fp32 = WideFloats<Portable, Rounding::None>;
    switch (type) {
        case DataType::BFloat16:
            return tileKernels<Portable, Scores<Portable, Bf16>, Bf16>();
        case DataType::Float16:
            return tileKernels<Portable, Scores<Portable, Fp16>, Fp16>();
        case DataType::Float32:
            break;
    }
    return tileKernels<Portable, Scores<Portable, Fp32>, Fp32>();
}

}  // namespace

TileKernels portableKernels(Method method, DataType type) {
    switch (method) {
        case Method::Sage1:
            return tileKernels<Portable, QuantisedScores<Portable, Int16Pairs<Portable>>,
                               WideFloats<Portable, Rounding::Bf16>>();
        case Method::Flash3:
            return exactKernels<LastFirstScores>(type);
        case Method::Flash:
            break;
    }
    return exactKernels<PlainScores>(type);
}

}  // namespace reelgrid::kernels::cpu
