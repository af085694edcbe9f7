// Compiled with AVX-512 and AMX flags: nothing here runs unless instruction_set.cpp found the instructions.

#include "kernels/cpu/attention/lanes_amx.h"

#include "kernels/cpu/attention/method_kernels.h"

namespace reelgrid::kernels::cpu {

TileKernels amxKernels(Method method, DataType type) {
    using Values = PlainValues<Amx, AmxBf16>;
    switch (method) {
        case Method::Sage1:
            return tileKernels<Amx, CentredInt8Scores<Amx, AmxInt8>, Values>();
        case Method::Flash3Sage:
            return tileKernels<Amx, CentredInt8Scores<Amx, AmxInt8>, E4m3Values<Amx, AmxBf16, 0>>();
        case Method::Flash3Fp8:
            return tileKernels<Amx, RotatedE4m3Scores<Amx, AmxBf16>, E4m3Values<Amx, AmxBf16, 8>>();
        case Method::Flash3:
            if (type == DataType::BFloat16) return tileKernels<Amx, LastFirstScores<Amx, AmxBf16>, Values>();
            break;
        case Method::Flash:
            if (type == DataType::BFloat16) return tileKernels<Amx, PlainScores<Amx, AmxBf16>, Values>();
            break;
        case Method::SparseLinear:
            if (type == DataType::BFloat16) {
                // Beside tiles, the machine's own bf16 product is slower than fp32's.
                using Bf16 = WideFloats<Avx512, Rounding::Bf16>;
                return tileKernels<Avx512, SparseScores<Avx512, Bf16>, PlainValues<Avx512, Bf16>>();
            }
            break;
    }
    return avx512Kernels(method, type);
}

}  // namespace reelgrid::kernels::cpu
