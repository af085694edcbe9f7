#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/cpu/vae/vae_conv_plan.h"

namespace reelgrid::kernels {

// One source file each, compiled for that instruction set; call them only where the machine has it.
void runVaeConvAvx2(const VaeConv& conv, ChannelBlock block, std::atomic<std::int64_t>& nextTask,
                    float* scratch);
void runVaeConvAvx512(const VaeConv& conv, ChannelBlock block, std::atomic<std::int64_t>& nextTask,
                      float* scratch);

}  // namespace reelgrid::kernels
