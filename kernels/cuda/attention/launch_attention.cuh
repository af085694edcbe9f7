#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {

/// Allows the kernel's blocks so many bytes of shared memory, on the current device.
template <class Kernel>
void allowShared(Kernel* kernel, int bytes) {
    const cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess)
        throw std::runtime_error("an attention kernel got no " + std::to_string(bytes) +
                                 " bytes of shared memory: " + cudaGetErrorString(error));
}

/// A grid's size.
inline unsigned blocksOf(std::int64_t tiles) {
    if (tiles > 0x7fffffff) throw std::runtime_error("attention over more than 2^31 - 1 tiles");
    return static_cast<unsigned>(tiles);
}

inline int processors() {
    int device = 0, count = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
}

}  // namespace reelgrid::kernels::cuda::device
