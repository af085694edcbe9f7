#pragma once

#include <string>

namespace reelgrid::cli {

/// "2.11.0"
std::string libtorchVersion();
/// The instruction set that libtorch's own kernels use here: "DEFAULT", "AVX2", "AVX512".
std::string libtorchCpuLevel();

}  // namespace reelgrid::cli
