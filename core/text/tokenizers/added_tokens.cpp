#include "core/text/tokenizers/added_tokens.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/result.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kMaxTokenId = 1 << 24;

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

bool isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) {
    for (AddedToken& token : tokens) add(std::move(token));
}

void AddedTokens::add(AddedToken token) {
    m_lengths.insert(token.content.size());
    m_idBound = std::max(m_idBound, token.id + 1);
    std::string content = token.content;
    m_byContent.try_emplace(std::move(content), std::move(token));
}

const AddedToken* AddedTokens::find(std::string_view content) const {
    const auto found = m_byContent.find(content);
    return found == m_byContent.end() ? nullptr : &found->second;
}

const AddedToken* AddedTokens::longestAtStartOf(std::string_view text) const {
    for (const std::size_t length : m_lengths)
        if (length <= text.size())
            if (const AddedToken* token = find(text.substr(0, length))) return token;
    return nullptr;
}

AddedTokens addedTokensOfConfig(const json& config, const fs::path& path) {
    AddedTokens tokens;
    const auto listed = config.find("added_tokens_decoder");
    if (listed == config.end() || !listed->is_object()) return tokens;
    for (const auto& [key, entry] : listed->items()) {
        std::int64_t id = -1;
        std::from_chars(key.data(), key.data() + key.size(), id);
        tokens.add(tokenOf(entry, id, path));
    }
    return tokens;
}

AddedTokens addedTokensOfTokenizer(const json& tokenizer, const fs::path& path) {
    AddedTokens tokens;
    const auto listed = tokenizer.find("added_tokens");
    if (listed == tokenizer.end() || !listed->is_array()) return tokens;
    for (const json& entry : *listed) {
        const auto id = entry.is_object() ? entry.find("id") : entry.end();
        const bool known = entry.is_object() && id != entry.end() && id->is_number_integer();
        tokens.add(tokenOf(entry, known ? id->get<std::int64_t>() : -1, path));
    }
    return tokens;
}

std::vector<TextPiece> splitAtTokens(std::string_view text, const AddedTokens& tokens) {
    std::vector<TextPiece> pieces;
    std::size_t start = 0;
    for (std::size_t at = 0; at < text.size();) {
        const AddedToken* token = tokens.longestAtStartOf(text.substr(at));
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
