#include "core/execution/cuda_start.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "core/devices/cuda_half.h"
#include "core/devices/gpu_choice.h"
#include "kernels/cuda/library.h"

namespace reelgrid::execution {
namespace {

/// A bit each GPU. Renders come one after the other; who asks beside them may be another thread.
std::atomic<std::uint64_t> startedGpus = 0;

std::uint64_t bitOf(const devices::DeviceName& device) {
    return std::uint64_t{1} << (static_cast<unsigned>(device.index) % 64);
}

/// Libraries that libtorch opens by name when it first needs them, looking beside its CPU half alone. An
/// installed program's CUDA half lies elsewhere: once opened from there, they are found by their names.
void openLazyLibraries(const std::filesystem::path& folder) {
    Dl_info cpuHalf{};
    const auto* known = reinterpret_cast<const void*>(&at::globalContext);
    if (dladdr(known, &cpuHalf) == 0 || cpuHalf.dli_fname == nullptr) return;
    std::error_code failed;
    if (std::filesystem::equivalent(std::filesystem::path(cpuHalf.dli_fname).parent_path(), folder, failed))
        return;
    // One that isn't there is missed where it is needed, by libtorch.
    for (const char* name : {"libcaffe2_nvrtc.so", "libtorch_cuda_linalg.so"})
        dlopen((folder / name).c_str(), RTLD_LAZY | RTLD_LOCAL);
}

Result<void> loadLibraries() {
    const auto half = devices::findCudaHalf();
    if (!half) return half.error();
    // libtorch's operators for CUDA register themselves when their library comes in; our library's own use of
    // libtorch is found in the global scope, whichever libtorch this program was started with.
    if (dlopen(half->libtorch.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        const char* text = dlerror();
        return Error{ErrorCode::Unsupported, std::string("libtorch's CUDA half can't be loaded: ") +
                                                 (text != nullptr ? text : half->libtorch.c_str())};
    }
    openLazyLibraries(half->libtorch.parent_path());
    if (const std::string obstacle = kernels::cuda::load(half->kernels); !obstacle.empty())
        return Error{ErrorCode::Unsupported, "our CUDA kernels can't be loaded: " + obstacle};
    return {};
}

}  // namespace

Result<void> startCuda(const devices::DeviceName& device) {
    if (!isCudaStarted(device)) {
        const devices::GpuSurvey gpus = devices::surveyGpus();
        if (auto usable = devices::requireUsable(gpus, device); !usable) return usable;
        if (auto room = devices::requireRoomToStart(gpus, device); !room) return room;
    }
    static const Result<void> loaded = loadLibraries();
    if (!loaded)
        return Error{loaded.error().code, "--device " + device.text() + ": " + loaded.error().message};
    try {
        at::globalContext().lazyInitDevice(at::kCUDA);
        if (!at::hasCUDA() || device.index >= at::accelerator::deviceCount())
            return Error{ErrorCode::Unsupported,
                         "--device " + device.text() + ": libtorch sees " +
                             std::to_string(at::hasCUDA() ? at::accelerator::deviceCount() : 0) + " GPUs"};
        at::accelerator::setDeviceIndex(static_cast<at::DeviceIndex>(device.index));
        startedGpus |= bitOf(device);
    } catch (const c10::Error& failure) {
        const std::string message = failure.what_without_backtrace();
        return Error{ErrorCode::Internal, "--device " + device.text() + ": CUDA does not start: " +
                                              message.substr(0, message.find('\n'))};
    }
    return {};
}

bool isCudaStarted(const devices::DeviceName& device) {
    return device.kind == devices::DeviceKind::Cuda && (startedGpus & bitOf(device)) != 0;
}

}  // namespace reelgrid::execution
