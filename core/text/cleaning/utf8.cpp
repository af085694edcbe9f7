#include "core/text/cleaning/utf8.h"

#include <utf8proc.h>

namespace reelgrid::text {
namespace {

/// Reads one code point at `bytes`; its length, or 0 when there is none well-formed.
std::size_t readOne(std::string_view bytes, char32_t& point) {
    utf8proc_int32_t read = -1;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()),
                                         static_cast<utf8proc_ssize_t>(bytes.size()), &read);
    if (length <= 0 || read < 0) return 0;
    point = static_cast<char32_t>(read);
    return static_cast<std::size_t>(length);
}

}  // namespace

std::u32string decodeUtf8(std::string_view bytes) {
    std::u32string text;
    while (!bytes.empty()) {
        char32_t point = kReplacementCharacter;
        const std::size_t length = readOne(bytes, point);
        text += point;
        bytes.remove_prefix(length == 0 ? 1 : length);
    }
    return text;
}

std::optional<std::u32string> decodeStrictUtf8(std::string_view bytes) {
    std::u32string text;
    while (!bytes.empty()) {
        char32_t point = 0;
        const std::size_t length = readOne(bytes, point);
        if (length == 0) return std::nullopt;
        text += point;
        bytes.remove_prefix(length);
    }
    return text;
}

std::string encodeUtf8(std::u32string_view text) {
    std::string bytes;
    for (const char32_t point : text) {
        utf8proc_uint8_t buffer[4];
        const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(point), buffer);
        bytes.append(reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(length));
    }
    return bytes;
}

}  // namespace reelgrid::text
