// Compiled with AVX2 flags: nothing here runs unless instruction_set.cpp found the instructions.

#include "kernels/cpu/attention/lanes/lanes_avx2.h"
#include "kernels/cpu/attention/tiles/method_kernels.h"

namespace reelgrid::kernels::cpu {

TileKernels avx2Kernels(Method method, DataType type) {
    return wideKernels<Avx2>(method, type);
}

}  // namespace reelgrid::kernels::cpu
