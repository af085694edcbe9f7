#include "core/text/tokenizers/tokenizer_folder.h"

#include "core/base/json.h"
#include "core/base/result.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The largest known (256,000 pieces with their scores) has 17 MB.
constexpr std::size_t kMaxTokenizerJson = std::size_t{128} << 20;
constexpr std::uint64_t kMaxExtraIds = 4096;
constexpr std::int64_t kT5ExtraIds = 100;

std::optional<json> readIfThere(const fs::path& path) {
    std::error_code failed;
    if (!fs::exists(path, failed)) return std::nullopt;
    return readJsonObject(path, kMaxTokenizerJson).value();
}

}  // namespace

TokenizerFolder::TokenizerFolder(const fs::path& folder)
    : configPath(folder / "tokenizer_config.json"),
      tokenizerPath(folder / "tokenizer.json"),
      config(readIfThere(configPath)),
      tokenizer(readIfThere(tokenizerPath)) {
    for (const char* key : {"padding_side", "truncation_side"}) {
        const json side = config ? config->value(key, json()) : json();
        if (!side.is_null() && side != "right")
            throw Failure(ErrorCode::Unsupported, configPath.string() + ": " + key + " is " + showJson(side) +
                                                      ", this version needs \"right\"");
    }
}

std::optional<std::int64_t> TokenizerFolder::modelMaxLength() const {
    constexpr double kNone = 1e20;
    const json length = config ? config->value("model_max_length", json()) : json();
    if (length.is_null() || (length.is_number() && length.get<double>() > kNone)) return std::nullopt;
    if (!length.is_number_unsigned() || length.get<std::uint64_t>() < 2 ||
        length.get<std::uint64_t>() > (1U << 20))
        throw Failure(ErrorCode::InvalidData, configPath.string() + ": model_max_length is " +
                                                  showJson(length) + ", a whole number from 2 was needed");
    return length.get<std::int64_t>();
}

AddedTokens TokenizerFolder::addedTokens() const {
    AddedTokens tokens = config ? addedTokensOfConfig(*config, configPath) : AddedTokens();
    return tokens.empty() && tokenizer ? addedTokensOfTokenizer(*tokenizer, tokenizerPath) : tokens;
}

bool TokenizerFolder::isT5() const {
    if (!config) return false;
    const json name = config->value("tokenizer_class", json());
    return name == "T5Tokenizer" || name == "T5TokenizerFast";
}

bool TokenizerFolder::isOfTokenizers() const {
    if (!config || !tokenizer) return false;
    const json name = config->value("tokenizer_class", json());
    return name == "TokenizersBackend" || name == "PreTrainedTokenizerFast";
}

std::int64_t TokenizerFolder::extraIds() const {
    const json count = config ? config->value("extra_ids", json()) : json();
    if (count.is_null()) return kT5ExtraIds;
    if (!count.is_number_unsigned() || count.get<std::uint64_t>() < 1 ||
        count.get<std::uint64_t>() > kMaxExtraIds)
        throw Failure(ErrorCode::InvalidData, configPath.string() + ": extra_ids is " + showJson(count) +
                                                  ", a whole number from 1 to " +
                                                  std::to_string(kMaxExtraIds) + " was needed");
    return count.get<std::int64_t>();
}

}  // namespace reelgrid::text
