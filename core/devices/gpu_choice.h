#pragma once

#include <cstdint>
#include <optional>

#include "core/devices/device_name.h"
#include "core/devices/gpu_survey.h"

namespace reelgrid::devices {

/// What keeps renders from running there at all: Unsupported (no driver, an old one, an old GPU, no CUDA
/// half) or BadUsage (no such GPU), as one line; nothing when they can.
std::optional<Error> obstacleOn(const DeviceName& device);
/// The same, naming the option.
Result<void> requireUsable(const DeviceName& device);

/// About what CUDA, libtorch and its libraries take of a GPU before a model does.
inline constexpr std::uint64_t kStartBytes = std::uint64_t{640} << 20;

/// OutOfMemory where a GPU, asked now, has less than kStartBytes free: other programs fill it. For a process
/// that has not started CUDA there yet.
Result<void> requireRoomToStart(const DeviceName& device);

/// The device of a render that names none: the first GPU that can be used and has `neededBytes` free beside
/// kStartBytes, else the CPU.
DeviceName defaultDevice(std::uint64_t neededBytes);

/// The CPU and every GPU that can be used, for menus.
std::vector<DeviceName> usableDevices();

}  // namespace reelgrid::devices
