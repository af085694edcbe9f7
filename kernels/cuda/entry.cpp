#include "kernels/cuda/kernels.cuh"

extern "C" __attribute__((visibility("default"))) const reelgrid::kernels::cuda::Library*
reelgridCudaLibrary() {
    using namespace reelgrid::kernels::cuda;
    static constexpr Library kLibrary{.version = Library::kVersion,
                                      .addThenNorm = &device::addThenNorm,
                                      .rmsNormRotate = &device::rmsNormRotate,
                                      .headNormRotate = &device::headNormRotate,
                                      .joinHeads = &device::joinHeads,
                                      .channelNorm = &device::channelNorm,
                                      .addBias = &device::addBias,
                                      .channelSums = &device::channelSums,
                                      .affineSilu = &device::affineSilu,
                                      .rowsToFp8 = &device::rowsToFp8,
                                      .groupNorm = &device::groupNorm,
                                      .sumNorm = &device::sumNorm,
                                      .gatedGelu = &device::gatedGelu,
                                      .blend = &device::blend,
                                      .mergeAttention = &device::mergeAttention,
                                      .runValues = &device::runValues,
                                      .multipliesFp8 = &device::multipliesFp8,
                                      .blocksToInt8 = &device::blocksToInt8,
                                      .int8Product = &device::int8Product,
                                      .multipliesInt8 = &device::multipliesInt8,
                                      .planAttention = &device::planAttention};
    return &kLibrary;
}
