#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "kernels/cuda/library.h"
#include "kernels/cuda/vectors.cuh"

namespace reelgrid::kernels::cuda::device {

inline void checkLaunch(const char* kernel) {
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        throw std::runtime_error(std::string("the CUDA kernel ") + kernel +
                                 " could not be started: " + cudaGetErrorString(error));
}

/// Calls `with` with a null pointer of the element's type.
template <class Function>
void withType(DataType type, Function&& with) {
    switch (type) {
        case DataType::Float32:
            return with(static_cast<float*>(nullptr));
        case DataType::BFloat16:
            return with(static_cast<__nv_bfloat16*>(nullptr));
        case DataType::Float16:
            return with(static_cast<__half*>(nullptr));
    }
}

/// Threads of a block that holds a row of `packs` packs in its registers, at most `each` a thread.
inline unsigned rowThreads(std::int64_t packs, int each) {
    const std::int64_t threads = (packs + each - 1) / each;
    return static_cast<unsigned>((threads + 31) / 32 * 32);
}

/// One block a row: grid.x has room for 2^31 - 1.
inline unsigned rowBlocks(std::int64_t rows) {
    if (rows > 0x7fffffff) throw std::runtime_error("more than 2^31 - 1 rows");
    return static_cast<unsigned>(rows);
}

}  // namespace reelgrid::kernels::cuda::device
