#include "kernels/cpu/vae/vae_norm_kernels.h"
#include "kernels/cpu/vae/vae_norm_rows.h"

namespace reelgrid::kernels {

void addVaeChannelSumsAvx2(const VaeChannelSums& call) {
    addChannelSums<8>(call);
}

void runVaeAffineSiluAvx2(const VaeAffine& call, int firstRow, int lastRow) {
    affineSilu<8>(call, firstRow, lastRow);
}

}  // namespace reelgrid::kernels
