#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"

namespace reelgrid {

std::size_t utf8LengthAt(std::string_view text, std::size_t at) {
    if (at >= text.size()) return 0;
    const auto lead = static_cast<unsigned char>(text[at]);
    std::size_t length = 0;
    if (lead < 0x80)
        length = 1;
    else if (lead >= 0xc2 && lead < 0xe0)
        length = 2;
    else if (lead >= 0xe0 && lead < 0xf0)
        length = 3;
    else if (lead >= 0xf0 && lead < 0xf5)
        length = 4;
    if (length == 0 || length > text.size() - at) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80) return 0;
    if (length < 3) return length;
    // Overlong forms, surrogates and what lies past U+10FFFF show in the second byte.
    const auto second = static_cast<unsigned char>(text[at + 1]);
    const bool isNone = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
    return isNone ? 0 : length;
}

bool isUtf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8LengthAt(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

std::string whyNotUtf8(const std::string& text) {
    return isUtf8(text) ? "" : showJson(text) + ": its bytes aren't UTF-8, text in UTF-8 was needed";
}

Result<void> requireUtf8(const std::string& what, const std::string& text) {
    const std::string why = whyNotUtf8(text);
    if (why.empty()) return {};
    return Error{ErrorCode::BadUsage, what + ": " + why};
}

}  // namespace reelgrid
