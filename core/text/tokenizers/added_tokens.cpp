#include "core/text/tokenizers/added_tokens.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/base/result.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The largest known (256,000 pieces with their scores) has 17 MB.
constexpr std::size_t kMaxTokenizerJson = std::size_t{128} << 20;
constexpr std::int64_t kMaxTokenId = 1 << 24;

/// The file's JSON without its largest member, the vocabulary, which is not needed here.
json readWithoutModel(const fs::path& path) {
    const std::string bytes = readFile(path, kMaxTokenizerJson).value();
    const auto keep = [](int depth, json::parse_event_t event, json& parsed) {
        return !(depth == 1 && event == json::parse_event_t::key && parsed == "model");
    };
    json parsed = json::parse(bytes, keep, false);
    if (!parsed.is_object()) throw Failure(ErrorCode::InvalidData, path.string() + ": not a JSON object");
    return parsed;
}

AddedToken tokenOf(const json& entry, std::int64_t id, const fs::path& path) {
    const auto content = entry.is_object() ? entry.find("content") : entry.end();
    if (!entry.is_object() || content == entry.end() || !content->is_string() ||
        content->get_ref<const std::string&>().empty() || id < 0 || id > kMaxTokenId)
        throw Failure(ErrorCode::InvalidData, path.string() + ": added token " + std::to_string(id) +
                                                  " needs a content and an id up to " +
                                                  std::to_string(kMaxTokenId));
    const auto flag = [&](const char* key) {
        const auto found = entry.find(key);
        return found != entry.end() && found->is_boolean() && found->get<bool>();
    };
    return {content->get<std::string>(), id, flag("lstrip"), flag("rstrip")};
}

std::vector<AddedToken> fromTokenizerConfig(const fs::path& path) {
    std::vector<AddedToken> tokens;
    const json config = readWithoutModel(path);
    const auto listed = config.find("added_tokens_decoder");
    if (listed == config.end() || !listed->is_object()) return tokens;
    for (const auto& [key, entry] : listed->items()) {
        std::int64_t id = -1;
        std::from_chars(key.data(), key.data() + key.size(), id);
        tokens.push_back(tokenOf(entry, id, path));
    }
    return tokens;
}

std::vector<AddedToken> fromTokenizerJson(const fs::path& path) {
    std::vector<AddedToken> tokens;
    const json tokenizer = readWithoutModel(path);
    const auto listed = tokenizer.find("added_tokens");
    if (listed == tokenizer.end() || !listed->is_array()) return tokens;
    for (const json& entry : *listed) {
        const auto id = entry.is_object() ? entry.find("id") : entry.end();
        const bool known = entry.is_object() && id != entry.end() && id->is_number_integer();
        tokens.push_back(tokenOf(entry, known ? id->get<std::int64_t>() : -1, path));
    }
    return tokens;
}

bool isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// The longest token that starts at `at`.
const AddedToken* tokenAt(std::string_view text, std::size_t at, const std::vector<AddedToken>& tokens) {
    const AddedToken* longest = nullptr;
    for (const AddedToken& token : tokens)
        if (text.substr(at).starts_with(token.content) &&
            (longest == nullptr || token.content.size() > longest->content.size()))
            longest = &token;
    return longest;
}

}  // namespace

std::vector<AddedToken> readAddedTokens(const fs::path& folder) {
    std::error_code failed;
    std::vector<AddedToken> tokens;
    const fs::path config = folder / "tokenizer_config.json";
    if (fs::exists(config, failed)) tokens = fromTokenizerConfig(config);
    const fs::path tokenizer = folder / "tokenizer.json";
    if (tokens.empty() && fs::exists(tokenizer, failed)) tokens = fromTokenizerJson(tokenizer);
    return tokens;
}

std::vector<TextPiece> splitAtTokens(std::string_view text, const std::vector<AddedToken>& tokens) {
    std::vector<TextPiece> pieces;
    std::size_t start = 0;
    for (std::size_t at = 0; at < text.size();) {
        const AddedToken* token = tokenAt(text, at, tokens);
        if (token == nullptr) {
            ++at;
            continue;
        }
        std::string_view before = text.substr(start, at - start);
        while (token->stripsLeft && !before.empty() && isSpace(before.back())) before.remove_suffix(1);
        if (!before.empty()) pieces.push_back({before, nullptr});
        pieces.push_back({text.substr(at, token->content.size()), token});
        at += token->content.size();
        while (token->stripsRight && at < text.size() && isSpace(text[at])) ++at;
        start = at;
    }
    if (start < text.size()) pieces.push_back({text.substr(start), nullptr});
    return pieces;
}

}  // namespace reelgrid::text
