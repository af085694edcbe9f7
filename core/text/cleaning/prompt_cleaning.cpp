#include "core/text/cleaning/prompt_cleaning.h"

#include "core/text/cleaning/html_entities.h"
#include "core/text/cleaning/text_fixes.h"
#include "core/text/cleaning/utf8.h"

namespace reelgrid::text {
namespace {

/// Python's str.isspace.
bool isSpace(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
           c == 0x3000;
}

std::u32string withSingleSpaces(const std::u32string& text) {
    std::u32string result;
    bool pending = false;
    for (const char32_t c : text) {
        if (isSpace(c)) {
            pending = !result.empty();
            continue;
        }
        if (pending) result += U' ';
        pending = false;
        result += c;
    }
    return result;
}

}  // namespace

std::string cleanPrompt(const std::string& prompt) {
    return encodeUtf8(withSingleSpaces(unescapeHtml(unescapeHtml(fixText(decodeUtf8(prompt))))));
}

}  // namespace reelgrid::text
