#include "kernels/cpu/vae/vae_norm.h"

#include "kernels/cpu/vae/vae_norm_kernels.h"

namespace reelgrid::kernels {

void addVaeChannelSums(const VaeChannelSums& call) {
#if defined(REELGRID_X86_KERNELS)
    (call.lanes == 16 ? addVaeChannelSumsAvx512 : addVaeChannelSumsAvx2)(call);
#else
    static_cast<void>(call);
#endif
}

void runVaeAffineSilu(const VaeAffine& call, int firstRow, int lastRow) {
#if defined(REELGRID_X86_KERNELS)
    (call.lanes == 16 ? runVaeAffineSiluAvx512 : runVaeAffineSiluAvx2)(call, firstRow, lastRow);
#else
    static_cast<void>(call), static_cast<void>(firstRow), static_cast<void>(lastRow);
#endif
}

}  // namespace reelgrid::kernels
