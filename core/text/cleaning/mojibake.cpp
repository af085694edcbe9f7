#include "core/text/cleaning/mojibake.h"

#include <algorithm>
#include <optional>

#include "core/text/cleaning/utf8.h"
#include "core/text/cleaning/windows_1252.h"

namespace reelgrid::text {
namespace {

// Text was mixed up a few times at most; each round shortens it, so this is only a bound.
constexpr int kMaxDecodings = 8;

/// Windows-1252 bytes that are punctuation or capitals people put behind an accented capital: no evidence.
bool isAmbiguousContinuation(unsigned char byte) {
    return byte == 0x85 || byte == 0x8C || byte == 0x8E || byte == 0x92;
}

/// Letters of Greek, Cyrillic, Hebrew and Arabic, which stand in twos and more: "ÐŸÑ€" for "Пр".
bool isOfAnotherAlphabet(unsigned char lead) {
    return lead >= 0xCE && lead <= 0xDB;
}

/// Whether well-formed UTF-8 bytes hold a sequence that nobody writes as separate characters.
bool isTelling(const std::string& bytes, bool asWindows1252) {
    for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
        const auto lead = static_cast<unsigned char>(bytes[i]);
        const auto next = static_cast<unsigned char>(bytes[i + 1]);
        if (lead < 0xC2) continue;
        if (lead >= 0xE0) return true;
        if (isOfAnotherAlphabet(lead) && i + 2 < bytes.size() &&
            isOfAnotherAlphabet(static_cast<unsigned char>(bytes[i + 2])))
            return true;
        const bool control = next < 0xA0 && (!asWindows1252 || fromWindows1252(next) == next);
        if (control || (lead <= 0xC3 && !isAmbiguousContinuation(next))) return true;
    }
    return false;
}

std::optional<std::u32string> decodedOnce(const std::u32string& text) {
    std::string latin1;
    std::string windows1252;
    bool isLatin1 = true;
    bool isWindows1252 = true;
    for (const char32_t c : text) {
        isLatin1 = isLatin1 && c <= 0xFF;
        if (isLatin1) latin1 += static_cast<char>(c);
        // Its own controls are Latin-1's: then a whole line is a mixture, which Windows-1252 programs make.
        const auto byte =
            c >= 0x80 && c < 0xA0 ? std::optional(static_cast<unsigned char>(c)) : toWindows1252(c);
        isWindows1252 = isWindows1252 && byte.has_value();
        if (isWindows1252) windows1252 += static_cast<char>(*byte);
    }
    if (isLatin1 && isTelling(latin1, false))
        if (auto decoded = decodeStrictUtf8(latin1)) return decoded;
    if (!isLatin1 && isWindows1252 && isTelling(windows1252, true)) return decodeStrictUtf8(windows1252);
    return std::nullopt;
}

}  // namespace

std::u32string undoMojibake(const std::u32string& line) {
    std::u32string text = line;
    for (int round = 0; round < kMaxDecodings; ++round) {
        if (std::all_of(text.begin(), text.end(), [](char32_t c) { return c < 0x80; })) break;
        auto decoded = decodedOnce(text);
        if (!decoded) break;
        text = *std::move(decoded);
    }
    return text;
}

}  // namespace reelgrid::text
