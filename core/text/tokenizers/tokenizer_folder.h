#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/text/tokenizers/added_tokens.h"

namespace reelgrid::text {

/// A special token of no use that has a name here.
struct FurtherSpecial {
    std::string content;
    std::string listed;  ///< where: the file and its key
};

/// The JSON files of a transformers tokenizer folder, each read once. Throws Failure(InvalidData), also
/// where a special token is none, and Failure(Unsupported) where prompts are to be padded or cut at their
/// left, or special tokens in them are to be taken apart.
struct TokenizerFolder {
    explicit TokenizerFolder(const std::filesystem::path& folder);

    /// The config's added tokens, else the tokenizer's.
    [[nodiscard]] AddedTokens addedTokens() const;
    /// What a special token is, by its use ("pad_token"): a text, or an object with its content; nullopt
    /// where no file says it. As in transformers 5 special_tokens_map.json counts before the config, and not
    /// at all where the config lists added tokens.
    [[nodiscard]] std::optional<nlohmann::json> special(const std::string& use) const;
    /// The same as its text, `usual` where no file says it.
    [[nodiscard]] std::string specialText(const std::string& use, const std::string& usual) const;
    static std::optional<std::string> contentOf(const nlohmann::json& token);
    /// Throws Failure(Unsupported) unless every token of added_tokens.json, which transformers reads where
    /// the config lists none, has the id that `idOf` knows.
    void requireKnown(const std::function<std::optional<std::int64_t>(const std::string&)>& idOf) const;
    /// The tokens of additional_special_tokens and extra_special_tokens, in the files that count.
    [[nodiscard]] std::vector<FurtherSpecial> furtherSpecials() const;
    /// Throws Failure(Unsupported) unless `idOf` knows each of them: transformers cuts prompts at them.
    void requireFurtherSpecials(
        const std::function<std::optional<std::int64_t>(const std::string&)>& idOf) const;
    /// Whether transformers 5 makes the pipeline itself (class T5Tokenizer), whatever tokenizer.json says.
    [[nodiscard]] bool isT5() const;
    /// Whether transformers 5 takes tokenizer.json as it stands, whatever lies beside it: the config names a
    /// class of tokenizers' own.
    [[nodiscard]] bool isOfTokenizers() const;
    /// Whether tokenizer.json has a vocabulary.
    [[nodiscard]] bool hasVocabulary() const;
    /// To how many tokens pipelines that ask for no length of their own pad a prompt: model_max_length;
    /// nullopt where the config names none, or the number beyond all lengths that transformers writes for
    /// none.
    [[nodiscard]] std::optional<std::int64_t> modelMaxLength() const;
    /// How many sentinels stand behind the vocabulary where no file lists them.
    [[nodiscard]] std::int64_t extraIds() const;

    std::filesystem::path configPath;     ///< tokenizer_config.json
    std::filesystem::path tokenizerPath;  ///< tokenizer.json
    std::optional<nlohmann::json> config;
    std::optional<nlohmann::json> tokenizer;

  private:
    void requireUsualSides() const;
    void requireSpecialTokens() const;

    std::filesystem::path m_specialsPath;         ///< special_tokens_map.json
    std::filesystem::path m_addedPath;            ///< added_tokens.json
    std::optional<nlohmann::json> m_specials;     ///< of m_specialsPath, where it counts
    std::optional<nlohmann::json> m_addedTokens;  ///< likewise
};

}  // namespace reelgrid::text
