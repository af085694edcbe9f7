#pragma once

#include "kernels/cpu/vae/vae_norm.h"

namespace reelgrid::kernels {

// One source file each, compiled for that instruction set; call them only where the machine has it.
void addVaeChannelSumsAvx2(const VaeChannelSums& call);
void addVaeChannelSumsAvx512(const VaeChannelSums& call);
void runVaeAffineSiluAvx2(const VaeAffine& call, int firstRow, int lastRow);
void runVaeAffineSiluAvx512(const VaeAffine& call, int firstRow, int lastRow);

}  // namespace reelgrid::kernels
