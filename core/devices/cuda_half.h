#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace reelgrid::devices {

/// What a GPU needs beside the driver: libtorch's CUDA library, and our own.
struct CudaHalf {
    std::filesystem::path libtorch;  ///< libtorch_cuda.so
    std::filesystem::path kernels;   ///< libreelgrid-cuda.so
};

/// Where both lie: ours beside the program or in ../lib, libtorch's where this build's libtorch is, or in the
/// folder that REELGRID_LIBTORCH names. Unsupported
/// naming what is missing and how to get it.
Result<CudaHalf> findCudaHalf();

}  // namespace reelgrid::devices
