#pragma once

#include <cstdint>
#include <string_view>

namespace reelgrid::pt {

/// The checksum that zip archives hold of each entry (CRC-32 of IEEE 802.3).
std::uint32_t crc32(std::string_view bytes);

}  // namespace reelgrid::pt
