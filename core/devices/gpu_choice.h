#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/devices/device_name.h"
#include "core/devices/gpu_survey.h"

namespace reelgrid::devices {

/// What keeps renders from running there at all: Unsupported (no driver, an old one, an old GPU, no CUDA
/// half) or BadUsage (no such GPU), as one line; nothing when they can.
std::optional<Error> obstacleOn(const GpuSurvey& gpus, const DeviceName& device);
/// The same, naming the option.
Result<void> requireUsable(const GpuSurvey& gpus, const DeviceName& device);

/// About what CUDA, libtorch and its libraries take of a GPU before a model does.
inline constexpr std::uint64_t kStartBytes = std::uint64_t{640} << 20;

/// OutOfMemory where a GPU has less than kStartBytes free: other programs fill it. For a process that has not
/// started CUDA there yet, with a survey made just now.
Result<void> requireRoomToStart(const GpuSurvey& gpus, const DeviceName& device);

/// The device of a render that names none: the first GPU that can be used and has `neededBytes` free beside
/// kStartBytes, else the CPU.
DeviceName defaultDevice(const GpuSurvey& gpus, std::uint64_t neededBytes);

/// The CPU and every GPU that can be used, for menus.
std::vector<DeviceName> usableDevices(const GpuSurvey& gpus);

}  // namespace reelgrid::devices
