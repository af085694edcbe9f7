#include "kernels/cpu/vae/vae_conv_kernels.h"
#include "kernels/cpu/vae/vae_conv_pairs.h"
#include "kernels/cpu/vae/vae_conv_task.h"

namespace reelgrid::kernels {

void runVaeConvAvx512(const VaeConv& conv, ChannelBlock block, std::atomic<std::int64_t>& nextTask,
                      float* scratch) {
    if (block.lanes == 16) {
        if (block.vectors == 3) return runTasksOfBlock<16, 3>(conv, nextTask, scratch);
        if (block.vectors == 2) return runTasksOfBlock<16, 2>(conv, nextTask, scratch);
        return runTasksOfBlock<16, 1>(conv, nextTask, scratch);
    }
    // Half vectors: 24 channels or 8. (16, as two of them, are one whole vector above.)
    if (block.vectors == 3) return runPairTasks<1>(conv, nextTask, scratch);
    runPairTasks<0>(conv, nextTask, scratch);
}

}  // namespace reelgrid::kernels
