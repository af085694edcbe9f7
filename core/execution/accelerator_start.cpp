#include "core/execution/accelerator_start.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace reelgrid::execution {
namespace {

namespace fs = std::filesystem;

/// libtorch's own folder, or the one that REELGRID_LIBTORCH names.
fs::path libtorchFolder() {
    if (const char* chosen = std::getenv("REELGRID_LIBTORCH"); chosen != nullptr && *chosen != '\0')
        return chosen;
    Dl_info loaded{};
    const auto* known = reinterpret_cast<const void*>(&at::globalContext);
    if (dladdr(known, &loaded) == 0 || loaded.dli_fname == nullptr) return {};
    return fs::path(loaded.dli_fname).parent_path();
}

/// A device that a process registers itself has no library.
Result<void> loadLibraryOf(const devices::DeviceName& name) {
    if (name.type == "privateuseone") return {};
    const fs::path library = libtorchFolder() / ("libtorch_" + name.type + ".so");
    std::error_code failed;
    if (!fs::exists(library, failed))
        return Error{ErrorCode::Unsupported, library.string() +
                                                 " isn't there; build against a libtorch for " + name.type +
                                                 " (REELGRID_LIBTORCH names its folder)"};
    // Its operators register themselves when it comes in.
    if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        const char* text = dlerror();
        return Error{ErrorCode::Unsupported, text != nullptr ? text : library.string() + " can't be loaded"};
    }
    return {};
}

Result<at::Device> start(const devices::DeviceName& name) {
    if (auto loaded = loadLibraryOf(name); !loaded) return loaded.error();
    const at::DeviceType type = torchTypeOf(name);
    const auto found = at::accelerator::getAccelerator();
    if (!found || *found != type) return Error{ErrorCode::Unsupported, "this libtorch has no such device"};
    at::globalContext().lazyInitDevice(type);
    const int count = at::accelerator::deviceCount();
    if (name.index >= count)
        return Error{ErrorCode::BadUsage, "this machine has " + std::to_string(count) + " of them"};
    at::accelerator::setDeviceIndex(static_cast<at::DeviceIndex>(name.index));
    return at::Device(type, static_cast<at::DeviceIndex>(name.index));
}

}  // namespace

at::DeviceType torchTypeOf(const devices::DeviceName& name) {
    return name.type == "xpu" ? at::kXPU : name.type == "hip" ? at::kCUDA : at::kPrivateUse1;
}

Result<at::Device> startAccelerator(const devices::DeviceName& name) {
    const std::string where = "--device " + name.text();
    try {
        auto started = start(name);
        if (started) return started;
        return started.error().in(where);
    } catch (const c10::Error& failure) {
        const std::string message = failure.what_without_backtrace();
        return Error{ErrorCode::Unsupported, where + ": " + message.substr(0, message.find('\n'))};
    }
}

}  // namespace reelgrid::execution
