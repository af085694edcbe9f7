#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/text/tokenizers/added_tokens.h"
#include "core/text/tokenizers/word_pipeline.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace reelgrid::text {

struct TokenizerFolder;

/// What spells characters outside the vocabulary.
enum class UnknownSpelling { Token, Bytes };

/// Token ids of one prompt, ended by </s> and padded to a fixed length. The attention mask of T5's tokenizer
/// is 1 for the first `count` ids and 0 for the rest.
struct TokenIds {
    std::vector<std::int64_t> ids;
    std::size_t count = 0;
    std::string cut;  ///< what of the prompt there was no room for; empty: nothing

    [[nodiscard]] std::vector<std::int64_t> attentionMask() const;
};

/// The tokenizer of T5 and umT5 as transformers 5 runs it: added tokens (</s>, <extra_id_N>) cut out of the
/// text, the rest through a SentencePiece model, </s> at the end. Immutable after construction; may be used
/// from any thread.
class SentencePieceTokenizer {
  public:
    /// Reads `folder`/spiece.model with tokenizer_config.json or tokenizer.json beside it, or, where it is
    /// alone or the config's class is T5's or of tokenizers, tokenizer.json: its unigram vocabulary,
    /// normalizer and pre-tokenizer. Throws Failure(NotFound, InvalidData, or Unsupported when tokenizer.json
    /// has a step that isn't here).
    explicit SentencePieceTokenizer(const std::filesystem::path& folder);
    /// A SentencePiece model by itself, the bytes of spiece.model; `origin` names it in messages.
    static SentencePieceTokenizer ofModel(const std::string& bytes, const std::string& origin);
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
    SentencePieceTokenizer();
    void findEnds(const std::string& end, const std::string& pad);
    void requireEndOf(const nlohmann::json& postProcessor) const;
    void loadModel(const std::string& bytes);
    void readTokenizerJson(const TokenizerFolder& folder);
    void requireListed(const AddedToken& token) const;
    [[nodiscard]] std::optional<std::int64_t> placeOf(const std::string& content) const;
    void addT5Tokens(std::int64_t extraIds);
    [[noreturn]] void refuseNormalized(const AddedToken& token) const;
    void requireNoneNormalized(std::string_view word) const;
    [[nodiscard]] std::int64_t idOf(const std::string& token) const;
    void appendPieces(std::string_view text, std::vector<std::int64_t>& ids) const;
    void appendPiecesAndBytes(std::string_view text, std::vector<std::int64_t>& ids) const;
    [[nodiscard]] std::string textOf(const std::vector<std::int64_t>& ids, std::size_t first) const;

    std::unique_ptr<sentencepiece::SentencePieceProcessor> m_model;
    std::string m_origin;  ///< the file of the vocabulary, for messages
    /// Made by tokenizer.json; a spiece.model normalizes and splits by itself.
    std::optional<WordPipeline> m_pipeline;
    /// T5Tokenizer doesn't have byte fallback, whatever its SentencePiece model has.
    UnknownSpelling m_unknown = UnknownSpelling::Token;
    AddedTokens m_added;
    AddedTokens m_normalized;  ///< of those, the ones that are looked for in words, not in the text
    OtherPlaces m_otherPlaces;
    std::int64_t m_end = 0;
    std::int64_t m_pad = 0;
    std::int64_t m_idBound = 0;
};

}  // namespace reelgrid::text
