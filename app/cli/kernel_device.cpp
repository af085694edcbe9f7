#include "app/cli/kernel_device.h"

#include "core/devices/device_name.h"

namespace reelgrid::cli {

Result<kernels::Device> kernelDeviceNamed(const std::string& device) {
    const auto name = devices::deviceNamed(device);
    if (!name) return name.error();
    if (name->kind == devices::DeviceKind::Other)
        return Error{ErrorCode::BadUsage,
                     "--device " + device + ": it has no attention kernels, cpu, cuda or cuda:N was needed"};
    return name->kind == devices::DeviceKind::Cpu ? kernels::Device::Cpu : kernels::Device::Cuda;
}

}  // namespace reelgrid::cli
