#include "kernels/cpu/vae/frame_conv_rows.h"

namespace reelgrid::kernels {

void runFrameConvAvx2(const FrameConvCall& call, std::int64_t firstPixel, std::int64_t lastPixel,
                      float* scratch) {
    convolveFrames<8, 6>(call, firstPixel, lastPixel, scratch);
}

}  // namespace reelgrid::kernels
