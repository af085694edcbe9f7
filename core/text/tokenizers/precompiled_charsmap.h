#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelgrid::text {

/// SentencePiece's normalization rules (a double-array trie and the replacements it points to), applied as
/// the tokenizers library does: to whole grapheme clusters of less than 6 bytes, else to single characters,
/// and by the shortest rule that matches.
class PrecompiledCharsmap {
  public:
    /// As a spiece.model has it. Throws Failure(InvalidData) naming `origin`.
    PrecompiledCharsmap(std::string_view bytes, const std::string& origin);
    /// As a tokenizer.json has it.
    static PrecompiledCharsmap ofBase64(std::string_view base64, const std::string& origin);

    /// Throws Failure(InvalidData) where the text would grow past kMaxStepBytes.
    [[nodiscard]] std::string apply(std::string_view text) const;

  private:
    [[nodiscard]] const char* replacementOf(std::string_view chunk) const;

    std::vector<std::uint32_t> m_trie;
    std::string m_replacements;  ///< each ended by a zero byte
};

}  // namespace reelgrid::text
