#include "core/devices/cuda_half.h"

#include <cstdlib>

#include "core/base/resources.h"

namespace reelgrid::devices {

namespace fs = std::filesystem;

namespace {

fs::path libtorchFolder() {
    if (const char* chosen = std::getenv("REELGRID_LIBTORCH"); chosen != nullptr && *chosen != '\0')
        return chosen;
#ifdef REELGRID_LIBTORCH_FOLDER
    return REELGRID_LIBTORCH_FOLDER;
#else
    return {};
#endif
}

}  // namespace

Result<CudaHalf> findCudaHalf() {
    constexpr const char* kKernels = "libreelgrid-cuda.so";
    constexpr const char* kHow = ": build with REELGRID_CUDA=1 packaging/build";
    std::error_code failed;
    CudaHalf half;
    for (const fs::path& folder : {executableFolder(), executableFolder().parent_path() / "lib"})
        if (half.kernels.empty() && fs::exists(folder / kKernels, failed)) half.kernels = folder / kKernels;
    if (half.kernels.empty())
        return Error{ErrorCode::Unsupported,
                     "this build has no CUDA kernels (" + std::string(kKernels) + ")" + kHow};
    half.libtorch = libtorchFolder() / "libtorch_cuda.so";
    if (!fs::exists(half.libtorch, failed))
        return Error{ErrorCode::Unsupported,
                     "libtorch has no CUDA half here (" + half.libtorch.string() + ")" + kHow};
    return half;
}

}  // namespace reelgrid::devices
