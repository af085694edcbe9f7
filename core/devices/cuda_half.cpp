#include "core/devices/cuda_half.h"

#include <cstdlib>
#include <vector>

#include "core/base/cache_folder.h"
#include "core/base/resources.h"

namespace reelgrid::devices {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKernels = "libreelgrid-cuda.so";
constexpr const char* kCudaLibrary = "libtorch_cuda.so";
constexpr const char* kBuild = ": build with REELGRID_CUDA=1 packaging/build";

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// An installed program's libtorch (cmake/Install.cmake).
fs::path installedLibtorch() {
    return executableFolder().parent_path() / "lib" / "reelgrid" / "libtorch";
}

bool isInstalled() {
    std::error_code failed;
    return fs::exists(installedLibtorch(), failed);
}

/// As packaging/setup-libtorch unpacks wheels.
fs::path cachedLibtorch() {
    return cacheFolder() / REELGRID_LIBTORCH_CACHE / "site-packages" / "torch" / "lib";
}

/// Where libtorch's CUDA half may be, the first choice first; never empty.
std::vector<fs::path> libtorchFolders() {
    if (const std::string chosen = variable("REELGRID_LIBTORCH"); !chosen.empty()) return {chosen};
    if (isInstalled()) return {installedLibtorch(), cachedLibtorch()};
#ifdef REELGRID_LIBTORCH_FOLDER
    return {REELGRID_LIBTORCH_FOLDER};
#else
    return {cachedLibtorch()};
#endif
}

}  // namespace

Result<fs::path> findCudaKernels() {
    const fs::path beside = executableFolder();
    std::error_code failed;
    for (const fs::path& folder : {beside, beside.parent_path() / "lib" / "reelgrid"})
        if (fs::exists(folder / kKernels, failed)) return folder / kKernels;
    const std::string how = isInstalled() ? ": install one that has them" : kBuild;
    return Error{ErrorCode::Unsupported,
                 "this build has no CUDA kernels (" + std::string(kKernels) + ")" + how};
}

Result<CudaHalf> findCudaHalf() {
    auto kernels = findCudaKernels();
    if (!kernels) return kernels.error();
    const std::vector<fs::path> folders = libtorchFolders();
    std::error_code failed;
    for (const fs::path& folder : folders)
        if (fs::exists(folder / kCudaLibrary, failed))
            return CudaHalf{.libtorch = folder / kCudaLibrary, .kernels = *kernels};
    const std::string how = isInstalled() ? ": fetch it with reelgrid-cli setup cuda" : kBuild;
    return Error{ErrorCode::Unsupported,
                 "libtorch has no CUDA half here (" + (folders.back() / kCudaLibrary).string() + ")" + how};
}

}  // namespace reelgrid::devices
