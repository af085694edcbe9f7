// Compiled with AVX-512 and AMX flags: nothing here runs unless instruction_set.cpp found the instructions.

#include "kernels/cpu/attention/lanes_amx.h"

#include "kernels/cpu/attention/method_kernels.h"

namespace reelgrid::kernels::cpu {

TileKernels amxKernels(Method method, DataType type) {
    if (method == Method::SparseLinear && type == DataType::BFloat16) {
        // Beside tiles, the machine's own bf16 product is slower than fp32's.
        using Bf16 = WideFloats<Avx512, Rounding::Bf16>;
        return tileKernels<Avx512, SparseScores<Avx512, Bf16>, PlainValues<Avx512, Bf16>>();
    }
    const TileKernels tiled = methodKernels<Amx, AmxBf16, AmxInt8, AmxBf16>(method, type);
    return tiled.attend != nullptr ? tiled : avx512Kernels(method, type);
}

}  // namespace reelgrid::kernels::cpu
