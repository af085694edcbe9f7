#include "core/text/tokenizers/tokenizer_folder.h"

#include <array>
#include <utility>

#include "core/base/file_check.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/tokenizers/json_member.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The largest known (256,000 pieces with their scores) has 17 MB.
constexpr std::size_t kMaxTokenizerJson = std::size_t{128} << 20;
constexpr std::uint64_t kMaxExtraIds = 4096;
constexpr std::int64_t kT5ExtraIds = 100;

/// The uses that a special token may have, and what lists those without one (an object: by names of its
/// own).
constexpr std::array kUses{"bos_token", "eos_token", "unk_token", "sep_token",
                           "pad_token", "cls_token", "mask_token"};
constexpr std::array kFurther{"additional_special_tokens", "extra_special_tokens"};

void requireSpecial(const json& token, const std::string& name) {
    if (token.is_object()) return requireToken(token, name);
    if (!token.is_string())
        throw Failure(ErrorCode::InvalidData,
                      name + " is " + showJson(token) + ", a text or an object with a content was needed");
}

std::optional<json> readIfThere(const fs::path& path, RepeatedKeys keys = RepeatedKeys::LastCounts) {
    std::error_code failed;
    if (!fs::exists(path, failed)) return std::nullopt;
    return readJsonObject(path, kMaxTokenizerJson, keys).value();
}

/// Of files that other files take the place of: nobody reads them as they load, but a render's manifest has
/// their hashes.
void requireNoneTooLarge(const fs::path& folder) {
    for (const char* name :
         {"spiece.model", "vocab.json", "merges.txt", "special_tokens_map.json", "added_tokens.json"}) {
        std::error_code failed;
        if (fs::is_regular_file(folder / name, failed)) requireFile(folder / name, kMaxTokenizerJson).value();
    }
}

}  // namespace

TokenizerFolder::TokenizerFolder(const fs::path& folder)
    : configPath(folder / "tokenizer_config.json"),
      tokenizerPath(folder / "tokenizer.json"),
      config(readIfThere(configPath)),
      // Whichever of a token's two ids counted, prompts would get another picture in silence.
      tokenizer(readIfThere(tokenizerPath, RepeatedKeys::Refused)),
      m_specialsPath(folder / "special_tokens_map.json"),
      m_addedPath(folder / "added_tokens.json") {
    requireNoneTooLarge(folder);
    requireUsualSides();
    const json apart = config ? config->value("split_special_tokens", json()) : json();
    if (apart == true)
        throw Failure(ErrorCode::Unsupported, configPath.string() + ": split_special_tokens is " +
                                                  showJson(apart) + ", this version needs false");
    if (!config || !config->contains("added_tokens_decoder")) {
        m_specials = readIfThere(m_specialsPath);
        m_addedTokens = readIfThere(m_addedPath, RepeatedKeys::Refused);
    }
    requireSpecialTokens();
}

/// tokenizer.json's sides count where the config names none.
void TokenizerFolder::requireUsualSides() const {
    const auto refuse = [](const fs::path& file, const std::string& key, const json& side,
                           const char* needed) {
        throw Failure(ErrorCode::Unsupported, file.string() + ": " + key + " is " + showJson(side) +
                                                  ", this version needs " + needed);
    };
    for (const auto& [key, part] :
         {std::pair{"padding_side", "padding"}, std::pair{"truncation_side", "truncation"}}) {
        const json side = config ? config->value(key, json()) : json();
        if (!side.is_null()) {
            if (side != "right") refuse(configPath, key, side, "\"right\"");
            continue;
        }
        const json settings = tokenizer ? tokenizer->value(part, json()) : json();
        const json direction = settings.is_object() ? settings.value("direction", json()) : json();
        if (!direction.is_null() && direction != "Right")
            refuse(tokenizerPath, std::string(part) + "'s direction", direction, "\"Right\"");
    }
}

/// Null is none.
void TokenizerFolder::requireSpecialTokens() const {
    for (const auto& [file, path] : {std::pair{&m_specials, &m_specialsPath}, {&config, &configPath}}) {
        if (!*file) continue;
        for (const char* use : kUses)
            if (const json& token = memberOf(**file, use); !token.is_null())
                requireSpecial(token, path->string() + ": " + use);
        for (const char* key : kFurther) {
            const json& listed = memberOf(**file, key);
            const std::string name = path->string() + ": " + key;
            if (!listed.is_null() && !listed.is_array() && !listed.is_object())
                throw Failure(ErrorCode::InvalidData,
                              name + " is " + showJson(listed) + ", a list of tokens was needed");
            for (const json& token : listed) requireSpecial(token, name + "'s token");
        }
    }
}

std::vector<FurtherSpecial> TokenizerFolder::furtherSpecials() const {
    std::vector<FurtherSpecial> tokens;
    for (const auto& [file, path] : {std::pair{&m_specials, &m_specialsPath}, {&config, &configPath}})
        for (const char* key : kFurther)
            for (const json& token : *file ? memberOf(**file, key) : json())
                tokens.push_back({contentOf(token).value(), path->string() + ": " + key});
    return tokens;
}

void TokenizerFolder::requireFurtherSpecials(
    const std::function<std::optional<std::int64_t>(const std::string&)>& idOf) const {
    for (const FurtherSpecial& token : furtherSpecials())
        if (!idOf(token.content))
            throw Failure(ErrorCode::Unsupported, token.listed + " has " + showJson(json(token.content)) +
                                                      ", this version takes further special tokens from " +
                                                      configPath.filename().string() +
                                                      "'s added_tokens_decoder");
}

std::optional<std::string> TokenizerFolder::contentOf(const json& token) {
    const json content = token.is_object() ? token.value("content", json()) : token;
    return content.is_string() ? std::optional(content.get<std::string>()) : std::nullopt;
}

std::optional<json> TokenizerFolder::special(const std::string& use) const {
    for (const std::optional<json>* file : {&m_specials, &config}) {
        if (!*file) continue;
        if (const auto found = (*file)->find(use); found != (*file)->end() && contentOf(*found))
            return *found;
    }
    // A class of tokenizers' own has no token of its own to fill prompts up with.
    const json padding = isOfTokenizers() ? tokenizer->value("padding", json()) : json();
    if (use == "pad_token" && padding.is_object() && contentOf(padding.value("pad_token", json())))
        return padding.at("pad_token");
    return std::nullopt;
}

std::string TokenizerFolder::specialText(const std::string& use, const std::string& usual) const {
    const std::optional<json> token = special(use);
    return token ? contentOf(*token).value_or(usual) : usual;
}

void TokenizerFolder::requireKnown(
    const std::function<std::optional<std::int64_t>(const std::string&)>& idOf) const {
    if (!m_addedTokens) return;
    for (const auto& [content, id] : m_addedTokens->items()) {
        const std::optional<std::int64_t> known = idOf(content);
        if (!known || id != *known)
            throw Failure(ErrorCode::Unsupported,
                          m_addedPath.string() + ": token " + showJson(json(content)) + " has id " +
                              showJson(id) + ", this version takes further tokens from " +
                              configPath.filename().string() + "'s added_tokens_decoder");
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

bool TokenizerFolder::hasVocabulary() const {
    if (!tokenizer) return false;
    const auto model = tokenizer->find("model");
    return model != tokenizer->end() && model->is_object() && model->contains("vocab");
}

std::int64_t TokenizerFolder::extraIds() const {
    const json count = config ? config->value("extra_ids", json()) : json();
    if (count.is_null()) return kT5ExtraIds;
    if (!count.is_number_unsigned() || count.get<std::uint64_t>() > kMaxExtraIds)
        throw Failure(ErrorCode::InvalidData, configPath.string() + ": extra_ids is " + showJson(count) +
                                                  ", a whole number from 0 to " +
                                                  std::to_string(kMaxExtraIds) + " was needed");
    return count.get<std::int64_t>();
}

}  // namespace reelgrid::text
