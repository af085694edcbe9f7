// Compiled with the flags of the rest of the program.

#include "kernels/cpu/attention/lanes/lanes_portable.h"
#include "kernels/cpu/attention/tiles/method_kernels.h"

namespace reelgrid::kernels::cpu {

TileKernels portableKernels(Method method, DataType type) {
    return wideKernels<Portable>(method, type);
}

}  // namespace reelgrid::kernels::cpu
