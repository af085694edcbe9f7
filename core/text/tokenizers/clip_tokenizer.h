#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/text/tokenizers/added_tokens.h"
#include "core/text/tokenizers/byte_pairs.h"

namespace reelgrid::text {

/// Token ids of one prompt between a begin and an end, padded to a fixed length.
struct ClipTokenIds {
    std::vector<std::int64_t> ids;
    std::size_t count = 0;  ///< of the prompt, with begin and end
    std::string cut;        ///< what of the prompt there was no room for; empty: nothing
};

/// CLIP's tokenizer as transformers 5 runs it: NFC, white space, lower case, words by letters, digits and
/// signs, byte pairs. Immutable after construction; may be used from any thread.
class ClipTokenizer {
  public:
    /// What CLIP's encoders were trained with, begin and end among them.
    static constexpr std::size_t kLength = 77;

    /// Reads `folder`/tokenizer.json, or vocab.json and merges.txt; and tokenizer_config.json and
    /// special_tokens_map.json where they are. Throws Failure(NotFound, InvalidData or Unsupported).
    explicit ClipTokenizer(const std::filesystem::path& folder);

    /// Throws Failure(Unsupported) where model_max_length, to which pipelines pad prompts, is another number.
    void requireLength(std::size_t length) const;

    /// Ids of `text` (UTF-8), cut so that with begin and end they are at most `length` ≥ 2.
    [[nodiscard]] ClipTokenIds encode(const std::string& text, std::size_t length = kLength) const;

    /// Ids of `text` alone: neither begin nor end, any length.
    [[nodiscard]] std::vector<std::int64_t> tokenize(const std::string& text) const;

    /// One more than the largest id that can come out.
    [[nodiscard]] std::int64_t idBound() const;

  private:
    struct Files;
    explicit ClipTokenizer(const Files& files);
    [[nodiscard]] std::string textOf(const std::vector<std::int64_t>& ids, std::size_t first) const;

    std::string m_configPath;
    std::optional<std::int64_t> m_modelMaxLength;
    BytePairs m_pairs;
    std::string m_origin;  ///< the file of the vocabulary, for messages
    AddedTokens m_added;   ///< found in a text as it is
    OtherPlaces m_otherPlaces;
    AddedTokens m_normalized;  ///< found in what normalizing leaves
    std::int64_t m_begin = 0, m_end = 0, m_pad = 0;
};

}  // namespace reelgrid::text
