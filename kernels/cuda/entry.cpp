#include "kernels/cuda/kernels.cuh"

extern "C" __attribute__((visibility("default"))) const reelgrid::kernels::cuda::Library*
reelgridCudaLibrary() {
    using namespace reelgrid::kernels::cuda;
    static constexpr Library kLibrary{.version = Library::kVersion,
                                      .addThenNorm = &addThenNorm,
                                      .rmsNormRotate = &rmsNormRotate,
                                      .headNormRotate = &headNormRotate,
                                      .channelNorm = &channelNorm,
                                      .addBias = &addBias,
                                      .channelSums = &channelSums,
                                      .affineSilu = &affineSilu,
                                      .rowsToFp8 = &rowsToFp8,
                                      .multipliesFp8 = &multipliesFp8,
                                      .attend = &attend,
                                      .attentionObstacle = &attentionObstacle,
                                      .attentionWorkspace = &attentionWorkspace};
    return &kLibrary;
}
