#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace reelgrid::pt {

/// An entry of a zip archive that is stored as it is.
struct ZipEntry {
    std::string_view bytes;
    std::uint32_t crc = 0;  ///< as the archive says; nobody has compared it
};

using ZipEntries = std::map<std::string, ZipEntry, std::less<>>;

/// The entries of a whole archive in memory, zip64 included. Nothing in it is believed before it is checked
/// against the bytes that are there. Throws Failure(InvalidData) that says what is wrong, without a file's
/// name.
ZipEntries zipEntries(std::string_view archive);

}  // namespace reelgrid::pt
