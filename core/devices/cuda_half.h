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

/// Our own library: beside the program, or below ../lib of an installed one. Unsupported where this build has
/// none.
Result<std::filesystem::path> findCudaKernels();

/// Where both lie. libtorch's is looked for in the folder that REELGRID_LIBTORCH names; else beside the
/// libtorch that this program runs with, then where `reelgrid-cli setup cuda` puts it. Unsupported naming
/// what is missing and how to get it.
Result<CudaHalf> findCudaHalf();

}  // namespace reelgrid::devices
