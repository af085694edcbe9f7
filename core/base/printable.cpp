#include "core/base/printable.h"

#include <array>
#include <cstdio>

namespace reelgrid {

namespace {

/// Of U+2028 to U+202E and U+2066 to U+2069, which break lines and turn the direction of the text behind
/// them, so that a name reads as another: the last two digits of the code point; 0: none of them begins
/// there.
unsigned directionMarkAt(const std::string& text, std::size_t at) {
    if (text.compare(at, 1, "\xE2") != 0 || at + 2 >= text.size()) return 0;
    const auto second = static_cast<unsigned char>(text[at + 1]),
               third = static_cast<unsigned char>(text[at + 2]);
    if (second == 0x80 && third >= 0xA8 && third <= 0xAE) return third - 0x80U;
    if (second == 0x81 && third >= 0xA6 && third <= 0xA9) return third - 0x40U;
    return 0;
}

}  // namespace

std::string printable(const std::string& text) {
    std::string shown;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (const unsigned mark = directionMarkAt(text, at); mark != 0) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u20%02x", mark);
            shown += escape.data();
            at += 2;
            continue;
        }
        auto control = static_cast<unsigned char>(text[at]);
        // U+0080 to U+009F are two bytes, of which the second is the code point.
        const bool isC1 = control == 0xC2 && at + 1 < text.size() &&
                          (static_cast<unsigned char>(text[at + 1]) & 0xE0) == 0x80;
        if (isC1) control = static_cast<unsigned char>(text[++at]);
        if (!isC1 && control != 0x7F && (control >= ' ' || control == '\n' || control == '\t')) {
            shown += text[at];
            continue;
        }
        std::array<char, 8> escape{};
        std::snprintf(escape.data(), escape.size(), "\\u%04x", control);
        shown += escape.data();
    }
    return shown;
}

}  // namespace reelgrid
