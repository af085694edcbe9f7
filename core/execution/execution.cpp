#include "core/execution/execution.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "core/execution/accelerator_start.h"
#include "core/execution/cuda_start.h"

namespace reelgrid::execution {

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
    if (auto started = startCuda(*name); !started) return started.error();
    return Execution{.device = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(name->index))};
}

}  // namespace reelgrid::execution
