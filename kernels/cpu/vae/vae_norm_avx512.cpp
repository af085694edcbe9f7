#include "kernels/cpu/vae/vae_norm_kernels.h"
#include "kernels/cpu/vae/vae_norm_rows.h"

namespace reelgrid::kernels {

void addVaeChannelSumsAvx512(const VaeChannelSums& call) {
    if (call.channels % 16 == 0) return addChannelSums<16>(call);
    addChannelSums<8>(call);
}

void runVaeAffineSiluAvx512(const VaeAffine& call, int firstRow, int lastRow) {
    if (call.channels % 16 == 0) return affineSilu<16>(call, firstRow, lastRow);
    affineSilu<8>(call, firstRow, lastRow);
}

}  // namespace reelgrid::kernels
