#include "app/cli/libtorch_version.h"

#include <ATen/ATen.h>
#include <ATen/Version.h>
#include <torch/headeronly/version.h>

namespace reelgrid::cli {

std::string libtorchVersion() {
    return TORCH_VERSION;
}

std::string libtorchCpuLevel() {
    return at::get_cpu_capability();
}

}  // namespace reelgrid::cli
