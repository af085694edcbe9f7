#pragma once

#include <cstdint>
#include <string_view>

namespace reelgrid::pt {

/// The checksum that zip archives hold of each entry (CRC-32 of IEEE 802.3).
std::uint32_t crc32(std::string_view bytes);

/// The checksum of some bytes and `length` further ones, of which each part's is known: parts can be summed
/// side by side.
std::uint32_t crc32Joined(std::uint32_t first, std::uint32_t second, std::uint64_t length);

}  // namespace reelgrid::pt
