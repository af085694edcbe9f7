#include "kernels/cpu/vae_conv_kernels.h"
#include "kernels/cpu/vae_conv_task.h"

namespace reelgrid::kernels {

void runVaeConvAvx2(const VaeConv& conv, ChannelBlock block, std::int64_t first, std::int64_t last,
                    float* scratch) {
    if (block.vectors == 3) return runTasksOfBlock<8, 3>(conv, first, last, scratch);
    if (block.vectors == 2) return runTasksOfBlock<8, 2>(conv, first, last, scratch);
    runTasksOfBlock<8, 1>(conv, first, last, scratch);
}

}  // namespace reelgrid::kernels
