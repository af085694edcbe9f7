#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/result.h"
#include "core/devices/device_name.h"

namespace reelgrid::execution {

/// What libtorch calls devices of DeviceKind::Other of that name; AMD's have CUDA's type there.
at::DeviceType torchTypeOf(const devices::DeviceName& name);

/// The device of a libtorch that was built for it (DeviceKind::Other), its library loaded: that in the folder
/// that REELGRID_LIBTORCH names, else beside libtorch. Everything runs there by libtorch's own operators.
/// Unsupported naming what is missing; BadUsage where there is no device of that number.
Result<at::Device> startAccelerator(const devices::DeviceName& name);

}  // namespace reelgrid::execution
