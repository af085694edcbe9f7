#include "kernels/cpu/attention/tile_kernels.h"

namespace reelgrid::kernels::cpu {

TileKernels tileKernelsFor(InstructionSet set, Method method, DataType type) {
#if defined(REELGRID_X86_KERNELS)
    if (set == InstructionSet::Amx) return amxKernels(method, type);
    if (set == InstructionSet::Avx512) return avx512Kernels(method, type);
    if (set == InstructionSet::Avx2) return avx2Kernels(method, type);
#endif
    static_cast<void>(set);
    return portableKernels(method, type);
}

}  // namespace reelgrid::kernels::cpu
