#pragma once

#include <string>

#include "core/base/result.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {

/// Which kernels run on the device that --device names. BadUsage for a device that has no kernel of ours.
Result<kernels::Device> kernelDeviceNamed(const std::string& device);

}  // namespace reelgrid::cli
