#include "core/text/tokenizers/precompiled_charsmap.h"

#include <utf8proc.h>

#include <utility>

#include "core/base/result.h"
#include "core/text/cleaning/utf8.h"
#include "core/text/tokenizers/charsmap_parts.h"
#include "core/text/tokenizers/step_text.h"

namespace reelgrid::text {
namespace {

constexpr std::size_t kWholeClusterBytes = 6;

int valueOf(char letter) {
    if (letter >= 'A' && letter <= 'Z') return letter - 'A';
    if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9') return letter - '0' + 52;
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

/// Empty for text that isn't base64.
std::string decodeBase64(std::string_view text) {
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string bytes;
    std::uint32_t buffer = 0;
    int bits = 0;
    for (const char letter : text) {
        const int value = valueOf(letter);
        if (value < 0) return {};
        buffer = (buffer << 6) | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>((buffer >> bits) & 0xFF);
    }
    return bytes;
}

}  // namespace

PrecompiledCharsmap PrecompiledCharsmap::ofBase64(std::string_view base64, const std::string& origin) {
    const std::string bytes = decodeBase64(base64);
    if (bytes.empty())
        throw Failure(
            ErrorCode::InvalidData,
            origin + ": precompiled_charsmap is damaged: base64 of a trie and its texts was needed");
    return {bytes, origin};
}

PrecompiledCharsmap::PrecompiledCharsmap(std::string_view bytes, const std::string& origin) {
    CharsmapParts parts = charsmapParts(bytes, origin);
    m_trie = std::move(parts.trie);
    m_replacements = parts.replacements;
}

/// What the shortest rule at the start of `chunk` makes of it; null when there is none.
const char* PrecompiledCharsmap::replacementOf(std::string_view chunk) const {
    std::size_t node = offsetOf(m_trie[0]);
    for (const char letter : chunk) {
        const auto label = static_cast<unsigned char>(letter);
        node ^= label;
        const std::uint32_t unit = m_trie[node];
        if (label == 0 || labelOf(unit) != label) return nullptr;
        node ^= offsetOf(unit);
        if (hasLeaf(unit)) return m_replacements.c_str() + leafOf(m_trie[node]);
    }
    return nullptr;
}

std::string PrecompiledCharsmap::apply(std::string_view text) const {
    const std::u32string points = decodeUtf8(text);
    std::string result;
    for (std::size_t start = 0; start < points.size();) {
        std::size_t end = start + 1;
        utf8proc_int32_t state = 0;
        while (end < points.size() &&
               utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(points[end - 1]),
                                                static_cast<utf8proc_int32_t>(points[end]), &state) == 0)
            ++end;
        const std::string cluster = encodeUtf8(std::u32string_view(points).substr(start, end - start));
        const char* whole = cluster.size() < kWholeClusterBytes ? replacementOf(cluster) : nullptr;
        if (whole != nullptr) {
            appendBounded(result, whole);
        } else {
            for (; start < end; ++start) {
                const std::string one = encodeUtf8({&points[start], 1});
                const char* replaced = replacementOf(one);
                appendBounded(result, replaced != nullptr ? std::string_view(replaced) : one);
            }
        }
        start = end;
    }
    return result;
}

}  // namespace reelgrid::text
