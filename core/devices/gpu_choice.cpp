#include "core/devices/gpu_choice.h"

#include "core/base/number_text.h"

namespace reelgrid::devices {

std::optional<Error> obstacleOn(const GpuSurvey& gpus, const DeviceName& device) {
    if (device.kind != DeviceKind::Cuda) return {};  // of others libtorch tells when it starts
    if (!gpus.obstacle.empty()) return Error{ErrorCode::Unsupported, gpus.obstacle};
    const auto count = static_cast<int>(gpus.gpus.size());
    if (device.index >= count)
        return Error{ErrorCode::BadUsage, "this machine has " + std::to_string(count) +
                                              (count == 1 ? " GPU" : " GPUs") + ", cuda:0" +
                                              (count > 1 ? " to cuda:" + std::to_string(count - 1) : "") +
                                              " was needed"};
    if (const auto obstacle = gpus.gpus[static_cast<std::size_t>(device.index)].obstacle())
        return Error{ErrorCode::Unsupported, *obstacle};
    if (!gpus.buildObstacle.empty()) return Error{ErrorCode::Unsupported, gpus.buildObstacle};
    return {};
}

Result<void> requireUsable(const GpuSurvey& gpus, const DeviceName& device) {
    const std::optional<Error> obstacle = obstacleOn(gpus, device);
    if (!obstacle) return {};
    return Error{obstacle->code, "--device " + device.text() + ": " + obstacle->message};
}

Result<void> requireRoomToStart(const GpuSurvey& gpus, const DeviceName& device) {
    if (device.kind != DeviceKind::Cuda) return {};
    for (const Gpu& gpu : gpus.gpus) {
        const std::uint64_t free = gpu.freeBytes.value_or(gpu.bytes);
        if (gpu.index != device.index || free >= kStartBytes) continue;
        const auto gigabytes = [](std::uint64_t bytes) {
            return fixed(static_cast<double>(bytes) * 1e-9, 1) + " GB";
        };
        return Error{ErrorCode::OutOfMemory, "--device " + device.text() + ": " + gigabytes(free) +
                                                 " of its " + gigabytes(gpu.bytes) +
                                                 " are free, other programs hold the rest; " +
                                                 gigabytes(kStartBytes) + " are needed to start at all"};
    }
    return {};
}

DeviceName defaultDevice(const GpuSurvey& gpus, std::uint64_t neededBytes) {
    for (const DeviceName& device : usableDevices(gpus)) {
        if (device.kind == DeviceKind::Cpu) continue;
        const Gpu& gpu = gpus.gpus[static_cast<std::size_t>(device.index)];
        if (gpu.freeBytes.value_or(gpu.bytes) >= neededBytes + kStartBytes) return device;
    }
    return {};
}

std::vector<DeviceName> usableDevices(const GpuSurvey& gpus) {
    std::vector<DeviceName> devices{DeviceName{}};
    for (const Gpu& gpu : gpus.gpus)
        if (const DeviceName name{DeviceKind::Cuda, gpu.index}; !obstacleOn(gpus, name))
            devices.push_back(name);
    return devices;
}

}  // namespace reelgrid::devices
