// Compiled with AVX-512 flags: nothing here runs unless instruction_set.cpp found the instructions.

#include "kernels/cpu/attention/lanes/lanes_avx512.h"
#include "kernels/cpu/attention/tiles/method_kernels.h"

namespace reelgrid::kernels::cpu {

TileKernels avx512Kernels(Method method, DataType type) {
    return methodKernels<Avx512, Bf16Pairs, Int8Quads, Bf16Pairs>(method, type);
}

}  // namespace reelgrid::kernels::cpu
