#pragma once

#include "core/base/result.h"
#include "core/devices/device_name.h"

namespace reelgrid::execution {

/// Loads libtorch's CUDA half and our CUDA kernels into the process and starts the GPU, once. Unsupported
/// with what is missing; Internal when CUDA itself does not start.
Result<void> startCuda(const devices::DeviceName& device);

/// Whether startCuda() has started this GPU. May be asked from any thread.
bool isCudaStarted(const devices::DeviceName& device);

}  // namespace reelgrid::execution
