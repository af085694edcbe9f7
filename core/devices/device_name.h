#pragma once

#include <string>

#include "core/base/result.h"

namespace reelgrid::devices {

/// Other: a device for which libtorch was built, but that has no kernel of ours.
enum class DeviceKind { Cpu, Cuda, Other };

/// What --device names: "cpu", "cuda" (the first GPU) or "cuda:N"; "xpu" (Intel's GPUs), "hip" (AMD's) or
/// "privateuseone" (what a process registers itself) likewise.
struct DeviceName {
    DeviceKind kind = DeviceKind::Cpu;
    int index = 0;       ///< of the GPU
    std::string type{};  ///< of Other: "xpu", "hip", "privateuseone"

    /// "cpu", "cuda:0" or "xpu:0".
    [[nodiscard]] std::string text() const;
    bool operator==(const DeviceName&) const = default;
};

/// BadUsage naming the text and what was needed.
Result<DeviceName> deviceNamed(const std::string& text);

}  // namespace reelgrid::devices
