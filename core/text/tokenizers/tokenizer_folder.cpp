#include "core/text/tokenizers/tokenizer_folder.h"

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/weights/model_config.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The largest known (256,000 pieces with their scores) has 17 MB.
constexpr std::size_t kMaxTokenizerJson = std::size_t{128} << 20;
constexpr std::int64_t kMaxExtraIds = 4096;
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
      tokenizer(readIfThere(tokenizerPath)) {}

AddedTokens TokenizerFolder::addedTokens() const {
    AddedTokens tokens = config ? addedTokensOfConfig(*config, configPath) : AddedTokens();
    return tokens.empty() && tokenizer ? addedTokensOfTokenizer(*tokenizer, tokenizerPath) : tokens;
}

bool TokenizerFolder::isT5() const {
    if (!config) return false;
    const json name = config->value("tokenizer_class", json());
    return name == "T5Tokenizer" || name == "T5TokenizerFast";
}

std::int64_t TokenizerFolder::extraIds() const {
    if (!config) return kT5ExtraIds;
    return weights::ModelConfig(*config, configPath.string())
        .positiveOr("extra_ids", kT5ExtraIds, kMaxExtraIds);
}

}  // namespace reelgrid::text
