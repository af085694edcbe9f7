#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelgrid {

/// RFC 4648, padded.
std::string toBase64(std::span<const std::uint8_t> bytes);
/// Nothing for text that isn't padded base64.
std::optional<std::vector<std::uint8_t>> fromBase64(std::string_view text);

}  // namespace reelgrid
