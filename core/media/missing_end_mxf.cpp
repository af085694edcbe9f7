#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

#include "core/media/byte_walk.h"
#include "core/media/missing_end.h"

namespace reelgrid::media {
namespace {

/// Where the header of an MXF begins; other bytes may be before it (SMPTE ST 377-1, 6.5).
std::optional<std::int64_t> headerOfMxf(const std::filesystem::path& path) {
    constexpr std::string_view kHeader("\x06\x0E\x2B\x34\2\5\1\1\x0D\1\2\1\1\2", 14);
    constexpr std::int64_t kMostBefore = 65536;
    ByteWalk file(path);
    std::optional<std::int64_t> header;
    file.find(kHeader.size(), [&](std::string_view bytes) {
        if (bytes == kHeader) header = file.at() - std::int64_t(kHeader.size());
        return header || file.at() > kMostBefore;
    });
    return header;
}

}  // namespace

std::optional<std::string> missingEndOfMxf(const std::filesystem::path& path) {
    // Keys, lengths (BER) and values, one behind the other. The first value's fields say where the footer
    // begins; zero where nobody has gone back to say it.
    constexpr std::int64_t kBegin = 0x060E2B34, kKeyBegin = 4, kKey = 16, kFooterPlace = 24;
    const auto header = headerOfMxf(path);
    if (!header) return std::nullopt;
    ByteWalk file(path);
    file.skip(*header);
    std::int64_t footer = -1;
    while (file.at() < file.size()) {
        const std::int64_t place = file.at();
        const auto key = file.number(kKeyBegin, std::endian::big);
        if (key == 0 && place < footer)
            return "it has zeros from byte " + std::to_string(place) + " on, its footer begins at byte " +
                   std::to_string(footer);
        if (key != kBegin && !file.isPastEnd()) {
            const auto isPart = [](std::string_view bytes) { return bytes == "\x06\x0E\x2B\x34"; };
            if (place < footer || file.find(kKeyBegin, isPart)) return noPart(place, "part of MXF");
            return std::nullopt;
        }
        file.skip(kKey - kKeyBegin);
        std::int64_t length = file.byte();
        if (length >= 0x80) length = file.number(std::min(int(length & 0x7F), 8), std::endian::big);
        if (footer < 0 && length >= kFooterPlace + 8) {
            file.skip(kFooterPlace);
            footer = *header + file.number(8, std::endian::big);
            length -= kFooterPlace + 8;
        }
        file.skip(length);
    }
    if (file.isPastEnd()) return bytesMissing(file);
    if (footer < file.size()) return std::nullopt;
    return "its footer begins at byte " + std::to_string(footer) + ", it has " + std::to_string(file.size());
}

}  // namespace reelgrid::media
