#include "core/devices/gpu_choice.h"

#include "core/base/number_text.h"
#include "core/devices/cuda_half.h"

namespace reelgrid::devices {

std::optional<Error> obstacleOn(const DeviceName& device) {
    if (device.kind == DeviceKind::Cpu) return {};
    const GpuSurvey& survey = knownGpus();
    if (!survey.obstacle.empty()) return Error{ErrorCode::Unsupported, survey.obstacle};
    const auto count = static_cast<int>(survey.gpus.size());
    if (device.index >= count)
        return Error{ErrorCode::BadUsage, "this machine has " + std::to_string(count) +
                                              (count == 1 ? " GPU" : " GPUs") + ", cuda:0" +
                                              (count > 1 ? " to cuda:" + std::to_string(count - 1) : "") +
                                              " was needed"};
    if (const auto obstacle = survey.gpus[static_cast<std::size_t>(device.index)].obstacle())
        return Error{ErrorCode::Unsupported, *obstacle};
    if (const auto half = findCudaHalf(); !half) return half.error();
    return {};
}

Result<void> requireUsable(const DeviceName& device) {
    const std::optional<Error> obstacle = obstacleOn(device);
    if (!obstacle) return {};
    return Error{obstacle->code, "--device " + device.text() + ": " + obstacle->message};
}

Result<void> requireRoomToStart(const DeviceName& device) {
    for (const Gpu& gpu : surveyGpus().gpus) {
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

DeviceName defaultDevice(std::uint64_t neededBytes) {
    for (const DeviceName& device : usableDevices()) {
        if (device.kind == DeviceKind::Cpu) continue;
        const Gpu& gpu = knownGpus().gpus[static_cast<std::size_t>(device.index)];
        if (gpu.freeBytes.value_or(gpu.bytes) >= neededBytes + kStartBytes) return device;
    }
    return {};
}

std::vector<DeviceName> usableDevices() {
    std::vector<DeviceName> devices{DeviceName{}};
    for (const Gpu& gpu : knownGpus().gpus)
        if (const DeviceName name{DeviceKind::Cuda, gpu.index}; !obstacleOn(name)) devices.push_back(name);
    return devices;
}

}  // namespace reelgrid::devices
