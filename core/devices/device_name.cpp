#include "core/devices/device_name.h"

#include <charconv>

namespace reelgrid::devices {

std::string DeviceName::text() const {
    return kind == DeviceKind::Cpu ? "cpu" : "cuda:" + std::to_string(index);
}

Result<DeviceName> deviceNamed(const std::string& text) {
    constexpr std::string_view kNumbered = "cuda:";
    if (text == "cpu") return DeviceName{};
    if (text == "cuda") return DeviceName{DeviceKind::Cuda, 0};
    if (text.starts_with(kNumbered)) {
        int index = -1;
        const char* end = text.data() + text.size();
        const auto read = std::from_chars(text.data() + kNumbered.size(), end, index);
        if (read.ec == std::errc() && read.ptr == end && index >= 0)
            return DeviceName{DeviceKind::Cuda, index};
    }
    return Error{ErrorCode::BadUsage, "--device " + text + ": cpu, cuda or cuda:N was needed"};
}

}  // namespace reelgrid::devices
