#pragma once

#include <cstdint>

#include "core/devices/device_name.h"
#include "core/devices/gpu_survey.h"

namespace reelgrid::devices {

/// Whether a render can run there at all. Unsupported (no driver, an old one, an old GPU, no CUDA half) or
/// BadUsage (no such GPU), as one line.
Result<void> requireUsable(const DeviceName& device);

/// The device of a render that names none: the first GPU that can be used and has `neededBytes` free, else
/// the CPU.
DeviceName defaultDevice(std::uint64_t neededBytes);

/// The CPU and every GPU that can be used, for menus.
std::vector<DeviceName> usableDevices();

}  // namespace reelgrid::devices
