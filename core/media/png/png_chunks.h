#pragma once

#include <cstdint>
#include <string_view>

namespace reelgrid::media {

/// The highest byte first, as PNG and JPEG have numbers.
constexpr std::uint64_t bigEndian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

/// One of a PNG file (ISO/IEC 15948, 5.3).
struct PngChunk {
    std::string_view type, data;
    std::string_view checked;    ///< type and data: what the checksum is of
    std::uint32_t checksum = 0;  ///< as the file has it
};

/// Calls `take` with each whole chunk, IEND the last, until it returns false.
template <typename Take>
void forEachPngChunk(std::string_view png, Take take) {
    constexpr std::size_t kSignature = 8, kAround = 12, kType = 4;
    for (std::size_t at = kSignature; at + kAround <= png.size();) {
        const std::uint64_t length = bigEndian(png.substr(at, 4));
        if (length > png.size() - at - kAround) return;
        const std::string_view checked = png.substr(at + 4, kType + length);
        const PngChunk chunk{checked.substr(0, kType), checked.substr(kType), checked,
                             std::uint32_t(bigEndian(png.substr(at + 4 + checked.size(), 4)))};
        if (!take(chunk) || chunk.type == "IEND") return;
        at += kAround + length;
    }
}

}  // namespace reelgrid::media
