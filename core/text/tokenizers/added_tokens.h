#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
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
    /// Whether it is looked for in what normalizing leaves, rather than in the text as it is.
    bool isNormalized = false;
};

/// Added tokens by their content; of two with the same, the first counts. Finding one costs a look-up for
/// each length that there is, however many there are.
class AddedTokens {
  public:
    AddedTokens() = default;
    explicit AddedTokens(std::vector<AddedToken> tokens);

    void add(AddedToken token);
    [[nodiscard]] bool empty() const { return m_byContent.empty(); }
    [[nodiscard]] const AddedToken* find(std::string_view content) const;
    /// The longest token that `text` starts with.
    [[nodiscard]] const AddedToken* longestAtStartOf(std::string_view text) const;
    /// Calls see(token) for each.
    template <class See>
    void each(const See& see) const {
        for (const auto& [content, token] : m_byContent) see(token);
    }
    /// One more than the largest id; 0 without tokens.
    [[nodiscard]] std::int64_t idBound() const { return m_idBound; }

  private:
    std::map<std::string, AddedToken, std::less<>> m_byContent;
    std::set<std::size_t, std::greater<>> m_lengths;
    std::int64_t m_idBound = 0;
};

/// Throws Failure(InvalidData) unless `entry` is an object with a content, whose flags are true or false;
/// `name` ("FILE: pad_token") begins the message.
void requireToken(const nlohmann::json& entry, const std::string& name);

/// tokenizer_config.json's added_tokens_decoder in the file `path`, and tokenizer.json's added_tokens. Empty
/// when there are none. Throw Failure(InvalidData) naming the key and what was needed, also where two tokens
/// have one id or one has two, and Failure(Unsupported) for one that is to be found between words' ends alone
/// (single_word).
AddedTokens addedTokensOfConfig(const nlohmann::json& config, const std::filesystem::path& path);
AddedTokens addedTokensOfTokenizer(const nlohmann::json& tokenizer, const std::filesystem::path& path);

/// Ids that transformers gives tokens whatever their list says, by content, where the list has others: their
/// place in a vocabulary of `pieces`, or the next ids behind it in the order of the list's.
using OtherPlaces = std::map<std::string, std::int64_t, std::less<>>;
OtherPlaces otherPlacesOf(const AddedTokens& tokens, std::int64_t pieces,
                          const std::function<std::optional<std::int64_t>(const std::string&)>& placeOf);

/// Throws Failure(InvalidData) naming `origin` where the token is one of those.
void requirePlace(const AddedToken& token, const OtherPlaces& others, const std::string& origin);

/// A stretch of text: an added token, or text for the vocabulary's model (token == nullptr).
struct TextPiece {
    std::string_view text;
    const AddedToken* token = nullptr;
};

/// Cuts `text` at added tokens: leftmost first, the longest of those that start there.
std::vector<TextPiece> splitAtTokens(std::string_view text, const AddedTokens& tokens);

}  // namespace reelgrid::text
