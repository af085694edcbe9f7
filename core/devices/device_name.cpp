#include "core/devices/device_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace reelgrid::devices {
namespace {

constexpr std::array<std::string_view, 4> kTypes{"cuda", "xpu", "hip", "privateuseone"};

/// The number after "cuda:"; the first one's without. Nothing where it is no number.
std::optional<int> indexIn(std::string_view text, std::size_t typeLength) {
    if (typeLength == text.size()) return 0;
    int index = -1;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + typeLength + 1, end, index);
    if (read.ec != std::errc() || read.ptr != end || index < 0) return std::nullopt;
    return index;
}

}  // namespace

std::string DeviceName::text() const {
    if (kind == DeviceKind::Cpu) return "cpu";
    return (kind == DeviceKind::Cuda ? "cuda" : type) + ":" + std::to_string(index);
}

Result<DeviceName> deviceNamed(const std::string& text) {
    if (text == "cpu") return DeviceName{};
    const std::string_view type = std::string_view(text).substr(0, text.find(':'));
    if (std::ranges::find(kTypes, type) != kTypes.end())
        if (const auto index = indexIn(text, type.size())) {
            if (type == "cuda") return DeviceName{DeviceKind::Cuda, *index};
            return DeviceName{DeviceKind::Other, *index, std::string(type)};
        }
    return Error{
        ErrorCode::BadUsage,
        "--device " + text + ": cpu, cuda or cuda:N was needed; xpu or hip where libtorch was built for it"};
}

}  // namespace reelgrid::devices
