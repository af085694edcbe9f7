#include "kernels/cpu/vae/vae_conv_kernels.h"
#include "kernels/cpu/vae/vae_conv_task.h"

namespace reelgrid::kernels {

void runVaeConvAvx2(const VaeConv& conv, ChannelBlock block, std::atomic<std::int64_t>& nextTask,
                    float* scratch) {
    if (block.vectors == 3) return runTasksOfBlock<8, 3>(conv, nextTask, scratch);
    if (block.vectors == 2) return runTasksOfBlock<8, 2>(conv, nextTask, scratch);
    runTasksOfBlock<8, 1>(conv, nextTask, scratch);
}

}  // namespace reelgrid::kernels
