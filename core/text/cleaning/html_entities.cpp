#include "core/text/cleaning/html_entities.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/text/cleaning/utf8.h"
#include "core/text/cleaning/windows_1252.h"

namespace reelgrid::text {
namespace {

struct Entity {
    std::string_view name;
    std::string_view utf8;
};
#include "core/text/cleaning/html_entities.inc"

constexpr std::size_t kLongestName = 32;
constexpr std::size_t kLongestTerminatedName = 24;

template <std::size_t Count>
std::optional<std::u32string> find(const Entity (&table)[Count], std::string_view name) {
    const auto* found = std::lower_bound(std::begin(table), std::end(table), name,
                                         [](const Entity& e, std::string_view n) { return e.name < n; });
    if (found == std::end(table) || found->name != name) return std::nullopt;
    return decodeUtf8(found->utf8);
}

/// ASCII text of a name; anything else is in no table.
std::string asciiOf(std::u32string_view text) {
    std::string ascii;
    for (const char32_t c : text) ascii += c < 0x80 ? static_cast<char>(c) : '\x7f';
    return ascii;
}

bool isDigit(char32_t c) {
    return c >= U'0' && c <= U'9';
}
bool isLetter(char32_t c) {
    return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
}
bool isHexDigit(char32_t c) {
    return isDigit(c) || (c >= U'a' && c <= U'f') || (c >= U'A' && c <= U'F');
}

bool isForbidden(char32_t c) {
    return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || (c >= 0x7F && c <= 0x9F) ||
           (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

std::u32string characterOf(char32_t number) {
    if (number == 0 || number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF))
        return {kReplacementCharacter};
    if (number >= 0x80 && number <= 0x9F) return {fromWindows1252(static_cast<unsigned char>(number))};
    if (number == 0xD) return {number};
    if (isForbidden(number)) return {};
    return {number};
}

/// A numeric reference whose '#' is at `at`: its text, and `at` moved behind it. Nothing without digits.
std::optional<std::u32string> readNumeric(std::u32string_view text, std::size_t& at) {
    std::size_t next = at + 1;
    const bool hex = next < text.size() && (text[next] == U'x' || text[next] == U'X');
    if (hex) ++next;
    const std::size_t first = next;
    char32_t number = 0;
    for (; next < text.size() && (hex ? isHexDigit(text[next]) : isDigit(text[next])); ++next) {
        const char32_t c = text[next];
        const char32_t digit = isDigit(c) ? c - U'0' : (c | 0x20) - U'a' + 10;
        number = std::min<char32_t>(number * (hex ? 16 : 10) + digit, 0x110000);
    }
    if (next == first) return std::nullopt;
    if (next < text.size() && text[next] == U';') ++next;
    at = next;
    return characterOf(number);
}

/// A named reference whose first letter is at `at`, its longest prefix that is a name; the rest stays.
std::optional<std::u32string> readNamed(std::u32string_view text, std::size_t& at) {
    std::size_t end = at;
    constexpr std::u32string_view kStops = U"\t\n\f <&#;";
    while (end < text.size() && end - at < kLongestName && kStops.find(text[end]) == kStops.npos) ++end;
    if (end == at) return std::nullopt;
    if (end < text.size() && text[end] == U';') ++end;
    const std::string name = asciiOf(text.substr(at, end - at));
    for (std::size_t length = name.size(); length > 0; --length) {
        // A prefix has at least two letters; the whole may be shorter.
        if (length < name.size() && length < 2) break;
        if (auto found = find(kHtml5Entities, std::string_view(name).substr(0, length))) {
            at += length;
            return found;
        }
    }
    return std::nullopt;
}

std::optional<std::u32string> readTerminated(std::u32string_view text, std::size_t& at) {
    const bool numeric = at < text.size() && text[at] == U'#';
    std::size_t end = at + (numeric ? 1 : 0);
    const std::size_t first = end;
    while (end < text.size() && (isDigit(text[end]) || isLetter(text[end]))) ++end;
    if (end == first || end - first > kLongestTerminatedName || end == text.size() || text[end] != U';')
        return std::nullopt;
    std::optional<std::u32string> read;
    if (numeric) {
        std::size_t next = at;
        read = readNumeric(text, next);
        if (next != end + 1 || *read == U";") return std::nullopt;
    } else {
        const std::string name = asciiOf(text.substr(at, end + 1 - at));
        read = find(kHtml5Entities, name);
        if (!read) read = find(kUpperCaseEntities, name);
    }
    if (read) at = end + 1;
    return read;
}

template <class Read>
std::u32string replaceReferences(const std::u32string& text, const Read& read) {
    std::u32string result;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t next = at + 1;
        std::optional<std::u32string> found;
        if (text[at] == U'&') found = read(std::u32string_view(text), next);
        if (found)
            result += *found;
        else
            result += text[at];
        at = found ? next : at + 1;
    }
    return result;
}

}  // namespace

std::u32string unescapeHtml(const std::u32string& text) {
    return replaceReferences(text, [](std::u32string_view whole, std::size_t& at) {
        const bool numeric = at < whole.size() && whole[at] == U'#';
        return numeric ? readNumeric(whole, at) : readNamed(whole, at);
    });
}

std::u32string unescapeTerminatedHtml(const std::u32string& text) {
    return replaceReferences(text, readTerminated);
}

}  // namespace reelgrid::text
