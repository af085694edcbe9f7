#include "core/execution/cuda_start.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdint>

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
    if (const std::string obstacle = kernels::cuda::load(half->kernels); !obstacle.empty())
        return Error{ErrorCode::Unsupported, "our CUDA kernels can't be loaded: " + obstacle};
    return {};
}

}  // namespace

Result<void> startCuda(const devices::DeviceName& device) {
    if (auto usable = devices::requireUsable(device); !usable) return usable;
    if (!isCudaStarted(device))
        if (auto room = devices::requireRoomToStart(device); !room) return room;
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
