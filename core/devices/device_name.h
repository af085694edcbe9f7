#pragma once

#include <string>

#include "core/base/result.h"

namespace reelgrid::devices {

enum class DeviceKind { Cpu, Cuda };

/// What --device names: "cpu", "cuda" (the first GPU) or "cuda:N".
struct DeviceName {
    DeviceKind kind = DeviceKind::Cpu;
    int index = 0;  ///< of the GPU

    /// "cpu" or "cuda:0".
    [[nodiscard]] std::string text() const;
    bool operator==(const DeviceName&) const = default;
};

/// BadUsage naming the text and what was needed.
Result<DeviceName> deviceNamed(const std::string& text);

}  // namespace reelgrid::devices
