#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/text/tokenizers/added_tokens.h"

namespace reelgrid::text {

/// The JSON files of a transformers tokenizer folder, each read once. Throws Failure(InvalidData), and
/// Failure(Unsupported) where prompts are to be padded or cut at their left.
struct TokenizerFolder {
    explicit TokenizerFolder(const std::filesystem::path& folder);

    /// The config's added tokens, else the tokenizer's.
    [[nodiscard]] AddedTokens addedTokens() const;
    /// Whether transformers 5 makes the pipeline itself (class T5Tokenizer), whatever tokenizer.json says.
    [[nodiscard]] bool isT5() const;
    /// Whether transformers 5 takes tokenizer.json as it stands, whatever lies beside it: the config names a
    /// class of tokenizers' own.
    [[nodiscard]] bool isOfTokenizers() const;
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
};

}  // namespace reelgrid::text
