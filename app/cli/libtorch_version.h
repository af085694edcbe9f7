#pragma once

#include <string>

namespace reelgrid::cli {

/// "2.11.0"
std::string libtorchVersion();
/// Of the CUDA runtime that libtorch's CPU half brings along, "13.0"; empty where it isn't loaded.
std::string cudaRuntimeVersion();
/// The instruction set that libtorch's own kernels use here: "DEFAULT", "AVX2", "AVX512".
std::string libtorchCpuLevel();

}  // namespace reelgrid::cli
