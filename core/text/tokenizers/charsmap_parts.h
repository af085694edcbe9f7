#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelgrid::text {

/// A precompiled_charsmap: a double array (Yata's darts-clone) of 32-bit units, which leads from a text to
/// the place of what replaces it.
struct CharsmapParts {
    std::vector<std::uint32_t> trie;
    std::string_view replacements;  ///< of the bytes that were given; each ended by a zero byte
};

/// Every way through the trie is checked: SentencePiece's library follows it, and reads the replacements,
/// without a look at where they end, and has room for 32 rules that match the start of one text. Throws
/// Failure(InvalidData) naming `origin`.
CharsmapParts charsmapParts(std::string_view bytes, const std::string& origin);

// What one unit has: a letter, the way to the children, and whether a value lies there.
[[nodiscard]] inline bool hasLeaf(std::uint32_t unit) {
    return ((unit >> 8) & 1) != 0;
}
/// More than a byte for a unit that is a value.
[[nodiscard]] inline std::uint32_t labelOf(std::uint32_t unit) {
    return unit & ((1U << 31) | 0xFF);
}
[[nodiscard]] inline std::uint32_t offsetOf(std::uint32_t unit) {
    return (unit >> 10) << ((unit & (1U << 9)) >> 6);
}
[[nodiscard]] inline std::uint32_t leafOf(std::uint32_t unit) {
    return unit & 0x7FFFFFFF;
}

}  // namespace reelgrid::text
