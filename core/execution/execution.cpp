#include "core/execution/execution.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "core/execution/accelerator_start.h"
#include "core/execution/cuda_start.h"

namespace reelgrid::execution {
namespace {

/// The kernels that read it (kernels/cuda/capability.h) take a word that they don't know for none.
Result<void> checkKernelChoice() {
    const char* asked = std::getenv("REELGRID_GPU_KERNELS");
    const std::string kernels = asked == nullptr ? "" : asked;
    for (const std::string_view known : {"", "mma", "ampere", "turing", "tcgen05"})
        if (kernels == known) return {};
    return Error{ErrorCode::BadUsage,
                 "REELGRID_GPU_KERNELS=" + kernels + ": must be mma, ampere, turing or tcgen05"};
}

}  // namespace

void* Execution::stream() const {
    if (device.is_cpu()) return nullptr;
    const c10::impl::VirtualGuardImpl backend(device.type());
    return backend.getStreamNativeHandle(backend.getStream(device));
}

void Execution::synchronise() const {
    if (device.is_cpu()) return;
    c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

Result<Execution> executionOn(const std::string& device) {
    const auto name = devices::deviceNamed(device);
    if (!name) return name.error();
    if (name->kind == devices::DeviceKind::Cpu) return Execution{};
    if (name->kind == devices::DeviceKind::Other) {
        const auto started = startAccelerator(*name);
        if (!started) return started.error();
        return Execution{.device = *started};
    }
    if (auto known = checkKernelChoice(); !known) return known.error();
    if (auto started = startCuda(*name); !started) return started.error();
    return Execution{.device = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(name->index))};
}

}  // namespace reelgrid::execution
