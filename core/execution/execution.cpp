#include "core/execution/execution.h"

#include <c10/core/impl/VirtualGuardImpl.h>

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
    if (device != "cpu")
        return Error{ErrorCode::BadUsage, "--device " + device + ": in this version cpu was needed"};
    return Execution{};
}

}  // namespace reelgrid::execution
