#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/text/tokenizers/merges.h"

namespace reelgrid::text {

/// A byte-pair vocabulary over bytes, each of them written as a printable character (GPT-2's table), the last
/// one of a word with "</w>" behind it. Source: Sennrich et al. (arXiv 1508.07909); tokenizers' models/bpe.
class BytePairs {
  public:
    /// `vocabulary`: an object of tokens and ids, of the file `origin`. No merges are needed for the tokens
    /// `apart`, which texts are cut at. What isn't in the vocabulary becomes `unknown`. Throws
    /// Failure(InvalidData) naming the file and what doesn't fit.
    BytePairs(const nlohmann::json& vocabulary, const std::string& origin, const Merges& merges,
              const std::unordered_set<std::string>& apart, const std::string& unknown);

    /// Appends the ids of one word, its bytes as they are.
    void append(std::string_view word, std::vector<std::int64_t>& ids) const;

    [[nodiscard]] std::optional<std::int64_t> idOf(const std::string& token) const;
    /// The bytes of a token, a space behind those that end a word.
    [[nodiscard]] std::string textOf(std::int64_t id) const;
    /// One more than the largest id.
    [[nodiscard]] std::int64_t idBound() const { return static_cast<std::int64_t>(m_tokens.size()); }

  private:
    struct Made {
        std::int64_t rank = 0, id = 0;
    };
    void readVocabulary(const nlohmann::json& vocabulary, const std::string& origin);
    void requireAllMade(const Merges& merges, const std::unordered_set<std::string>& apart) const;
    [[nodiscard]] const Made* mergeOf(std::int64_t left, std::int64_t right) const;
    [[nodiscard]] std::vector<std::int64_t> symbolsOf(std::string_view word) const;

    std::unordered_map<std::string, std::int64_t> m_ids;
    std::vector<std::string> m_tokens;  ///< by id; empty where there is none
    std::unordered_map<std::uint64_t, Made> m_merges;
    std::int64_t m_unknown = 0;
};

}  // namespace reelgrid::text
