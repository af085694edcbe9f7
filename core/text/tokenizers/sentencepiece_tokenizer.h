#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/text/tokenizers/added_tokens.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace reelgrid::text {

/// Token ids of one prompt, ended by </s> and padded to a fixed length. The attention mask of T5's tokenizer
/// is 1 for the first `count` ids and 0 for the rest.
struct TokenIds {
    std::vector<std::int64_t> ids;
    std::size_t count = 0;

    [[nodiscard]] std::vector<std::int64_t> attentionMask() const;
};

/// The tokenizer of T5 and umT5 as transformers runs it: a SentencePiece model (spiece.model), added tokens
/// (</s>, <extra_id_N>) cut out of the text first, </s> at the end. As there, characters outside the
/// vocabulary become <unk> even where the SentencePiece model has byte fallback. Immutable after
/// construction; may be used from any thread.
class SentencePieceTokenizer {
  public:
    /// Reads `folder`/spiece.model with tokenizer_config.json or tokenizer.json beside it. Throws
    /// Failure(NotFound, InvalidData, or Unsupported when there is only a tokenizer.json).
    explicit SentencePieceTokenizer(const std::filesystem::path& folder);
    SentencePieceTokenizer(SentencePieceTokenizer&&) noexcept;
    SentencePieceTokenizer& operator=(SentencePieceTokenizer&&) noexcept;
    ~SentencePieceTokenizer();

    /// Ids of `text` (UTF-8, cleaned), cut so that with </s> they are at most `length`, padded to it.
    [[nodiscard]] TokenIds encode(const std::string& text, std::size_t length) const;

    /// Ids of `text` alone: no end, no padding, any length.
    [[nodiscard]] std::vector<std::int64_t> tokenize(const std::string& text) const;

    /// One more than the largest id that can come out.
    [[nodiscard]] std::int64_t idBound() const { return m_idBound; }

  private:
    void addT5Tokens(const std::filesystem::path& folder);
    [[nodiscard]] std::int64_t idOf(const std::string& token, const std::filesystem::path& folder) const;
    void appendPieces(std::string_view text, std::vector<std::int64_t>& ids) const;

    std::unique_ptr<sentencepiece::SentencePieceProcessor> m_model;
    std::vector<AddedToken> m_added;
    std::int64_t m_end = 0;
    std::int64_t m_pad = 0;
    std::int64_t m_idBound = 0;
};

}  // namespace reelgrid::text
