#include "core/text/cleaning/text_fixes.h"

#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/text/cleaning/html_entities.h"
#include "core/text/cleaning/mojibake.h"
#include "core/text/cleaning/utf8.h"
#include "core/text/cleaning/windows_1252.h"

namespace reelgrid::text {
namespace {

// Every fix shortens or settles text; this only bounds what two of them could hand back and forth.
constexpr int kMaxRounds = 32;

struct Ligature {
    char32_t character;
    std::u32string_view letters;
};
constexpr std::array kLigatures{
    Ligature{0x0132, U"IJ"},      Ligature{0x0133, U"ij"},      Ligature{0x0149, U"\u02BCn"},
    Ligature{0x01F1, U"DZ"},      Ligature{0x01F2, U"Dz"},      Ligature{0x01F3, U"dz"},
    Ligature{0x01C4, U"D\u017D"}, Ligature{0x01C5, U"D\u017E"}, Ligature{0x01C6, U"d\u017E"},
    Ligature{0x01C7, U"LJ"},      Ligature{0x01C8, U"Lj"},      Ligature{0x01C9, U"lj"},
    Ligature{0x01CA, U"NJ"},      Ligature{0x01CB, U"Nj"},      Ligature{0x01CC, U"nj"},
    Ligature{0xFB00, U"ff"},      Ligature{0xFB01, U"fi"},      Ligature{0xFB02, U"fl"},
    Ligature{0xFB03, U"ffi"},     Ligature{0xFB04, U"ffl"},     Ligature{0xFB05, U"\u017Ft"},
    Ligature{0xFB06, U"st"},
};

std::u32string normalized(const std::u32string& text, utf8proc_option_t options) {
    const std::string utf8 = encodeUtf8(text);
    utf8proc_uint8_t* mapped = nullptr;
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(utf8.data()),
                                     static_cast<utf8proc_ssize_t>(utf8.size()), &mapped, options);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
    if (length < 0) return text;
    return decodeUtf8({reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length)});
}

constexpr auto kNfc = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
constexpr auto kNfkc = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);

bool isRemovedControl(char32_t c) {
    return c < 0x09 || c == 0x0B || (c >= 0x0E && c < 0x20) || c == 0x7F || (c >= 0x206A && c <= 0x206F) ||
           c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFC);
}

/// What a single character becomes by itself.
void appendFixed(std::u32string& result, char32_t c) {
    if (c >= 0x80 && c < 0xA0) c = fromWindows1252(static_cast<unsigned char>(c));
    for (const Ligature& ligature : kLigatures)
        if (ligature.character == c) {
            result += ligature.letters;
            return;
        }
    if (c == 0x3000) {
        result += U' ';
    } else if (c >= 0xFF01 && c < 0xFFF0) {
        result += normalized({c}, kNfkc);
    } else if (c >= 0x201C && c <= 0x201F) {
        result += U'"';
    } else if (c == 0x02BC || (c >= 0x2018 && c <= 0x201B)) {
        result += U'\'';
    } else {
        result += c;
    }
}

std::u32string withUnixLineBreaks(const std::u32string& text) {
    std::u32string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char32_t c = text[i];
        if (c == U'\r' && i + 1 < text.size() && text[i + 1] == U'\n') continue;
        result += c == U'\r' || c == 0x2028 || c == 0x2029 ? U'\n' : c;
    }
    return result;
}

/// Where an ANSI sequence that starts at `at` ends; `at` when there is none.
std::size_t endOfTerminalEscape(const std::u32string& text, std::size_t at) {
    if (text[at] != 0x1B || at + 1 >= text.size() || text[at + 1] != U'[') return at;
    std::size_t next = at + 2;
    while (next < text.size() && ((text[next] >= U'0' && text[next] <= U'9') || text[next] == U';')) ++next;
    const char32_t last = next < text.size() ? text[next] | 0x20 : 0;
    return last >= U'a' && last <= U'z' ? next + 1 : at;
}

std::u32string withoutControls(const std::u32string& text) {
    std::u32string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = endOfTerminalEscape(text, i);
        if (end == i && !isRemovedControl(text[i])) result += text[i];
        i = end == i ? i + 1 : end;
    }
    return result;
}

std::u32string fixOnce(const std::u32string& line, bool unescape) {
    const std::u32string text = undoMojibake(unescape ? unescapeTerminatedHtml(line) : line);
    std::u32string fixed;
    for (const char32_t c : text) appendFixed(fixed, c);
    return normalized(withoutControls(withUnixLineBreaks(fixed)), kNfc);
}

std::u32string fixLine(const std::u32string& line, bool unescape) {
    std::u32string text = line;
    for (int round = 0; round < kMaxRounds; ++round) {
        std::u32string fixed = fixOnce(text, unescape);
        if (fixed == text) break;
        text = std::move(fixed);
    }
    return text;
}

}  // namespace

std::u32string fixText(const std::u32string& text) {
    std::u32string result;
    bool unescape = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t newline = text.find(U'\n', at);
        const std::size_t end = newline == text.npos ? text.size() : newline + 1;
        const std::u32string line = text.substr(at, end - at);
        // Real HTML keeps its references from its first '<' on.
        unescape = unescape && line.find(U'<') == line.npos;
        result += fixLine(line, unescape);
        at = end;
    }
    return result;
}

}  // namespace reelgrid::text
