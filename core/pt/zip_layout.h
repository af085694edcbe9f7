#pragma once

#include <cstdint>

namespace reelgrid::pt {

// The records of a zip archive (APPNOTE.TXT 4.3), as far as a .pt file has them; all numbers are
// little-endian, offsets are in bytes from the record's start.

inline constexpr std::uint32_t kLocalSignature = 0x04034b50;
inline constexpr std::size_t kLocalBytes = 30;
inline constexpr std::uint32_t kCentralSignature = 0x02014b50;
inline constexpr std::size_t kCentralBytes = 46;
inline constexpr std::uint32_t kEndSignature = 0x06054b50;
inline constexpr std::size_t kEndBytes = 22;
inline constexpr std::uint32_t kEnd64Signature = 0x06064b50;
inline constexpr std::size_t kEnd64Bytes = 56;
inline constexpr std::uint32_t kLocator64Signature = 0x07064b50;
inline constexpr std::size_t kLocator64Bytes = 20;

/// What stands where a number is in the zip64 records.
inline constexpr std::uint32_t kIn64 = 0xFFFFFFFF;
inline constexpr std::uint16_t kIn64Short = 0xFFFF;
inline constexpr std::uint16_t kExtra64 = 0x0001;

inline constexpr std::uint16_t kStored = 0;  ///< the method of entries that are not compressed
inline constexpr std::uint16_t kEncrypted = 0x0001;
inline constexpr std::uint16_t kNamesAreUtf8 = 0x0800;

}  // namespace reelgrid::pt
