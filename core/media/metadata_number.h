#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace reelgrid::media {

enum class ByteOrder { LittleEndian, BigEndian };

/// A number of `size` bytes, or nothing where the bytes end before it.
inline std::optional<std::uint32_t> metadataNumber(std::string_view bytes, std::size_t at, std::size_t size,
                                                   ByteOrder order) {
    if (at > bytes.size() || bytes.size() - at < size) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t place = order == ByteOrder::BigEndian ? i : size - 1 - i;
        value = value << 8 | static_cast<std::uint8_t>(bytes[at + place]);
    }
    return value;
}

}  // namespace reelgrid::media
