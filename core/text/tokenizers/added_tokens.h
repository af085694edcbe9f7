#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace reelgrid::text {

/// A token that is found in the text before the vocabulary's model sees it (</s>, <extra_id_7>).
struct AddedToken {
    std::string content;
    std::int64_t id = 0;
    /// Whether it takes the whitespace before and behind it along.
    bool stripsLeft = false;
    bool stripsRight = false;
};

/// The added tokens of a transformers tokenizer folder: tokenizer_config.json's added_tokens_decoder, or
/// tokenizer.json's added_tokens. Empty when neither file lists any. Throws Failure(InvalidData).
std::vector<AddedToken> readAddedTokens(const std::filesystem::path& folder);

/// A stretch of text: an added token, or text for the vocabulary's model (token == nullptr).
struct TextPiece {
    std::string_view text;
    const AddedToken* token = nullptr;
};

/// Cuts `text` at added tokens: leftmost first, the longest of those that start there.
std::vector<TextPiece> splitAtTokens(std::string_view text, const std::vector<AddedToken>& tokens);

}  // namespace reelgrid::text
