#include "app/cli/libtorch_version.h"

#include <ATen/ATen.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <torch/headeronly/version.h>

namespace reelgrid::cli {

std::string libtorchVersion() {
    return TORCH_VERSION;
}

std::string cudaRuntimeVersion() {
    // Known to the loader alone: nothing here is linked with it.
    using Ask = int (*)(int*);
    void* found = dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion");
    int version = 0;
    if (found == nullptr || reinterpret_cast<Ask>(found)(&version) != 0) return {};
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string libtorchCpuLevel() {
    return at::get_cpu_capability();
}

}  // namespace reelgrid::cli
