#include "core/text/tokenizers/added_tokens.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/tokenizers/json_member.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kMaxTokenId = 1 << 24;

std::string numberNeeded() {
    return ", a whole number from 0 to " + std::to_string(kMaxTokenId) + " was needed";
}

AddedToken tokenOf(const json& entry, std::int64_t id, const std::string& name) {
    requireToken(entry, name);
    if (entry.value("single_word", false))
        throw Failure(ErrorCode::Unsupported, name + ": single_word is true, this version needs false");
    return {entry.at("content").get<std::string>(), id, entry.value("lstrip", false),
            entry.value("rstrip", false), entry.value("normalized", false)};
}

/// A key of the config's; nullopt where more or other than a number's digits is there.
std::optional<std::int64_t> idOfKey(const std::string& key) {
    std::int64_t id = -1;
    const char* end = key.data() + key.size();
    const auto [read, error] = std::from_chars(key.data(), end, id);
    if (error != std::errc() || read != end || id < 0 || id > kMaxTokenId) return std::nullopt;
    return id;
}

/// A file's tokens, none of which may contradict one before it: another picture would come of either.
class ListedTokens {
  public:
    explicit ListedTokens(std::string name) : m_name(std::move(name)) {}

    void add(AddedToken token) {
        if (const AddedToken* same = m_tokens.find(token.content); same != nullptr && same->id != token.id)
            refuse("gives " + showJson(json(token.content)) + " the ids " + std::to_string(same->id) +
                   " and " + std::to_string(token.id) + ", one was needed");
        const auto [other, isNew] = m_byId.try_emplace(token.id, token.content);
        if (!isNew && other->second != token.content)
            refuse("gives " + showJson(json(other->second)) + " and " + showJson(json(token.content)) +
                   " the id " + std::to_string(token.id) + ", one of its own was needed for each");
        m_tokens.add(std::move(token));
    }
    [[nodiscard]] AddedTokens take() { return std::move(m_tokens); }

  private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw Failure(ErrorCode::InvalidData, m_name + " " + what);
    }

    std::string m_name;
    AddedTokens m_tokens;
    std::unordered_map<std::int64_t, std::string> m_byId;
};

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

void requireToken(const json& entry, const std::string& name) {
    const auto refuse = [](const std::string& thing, const json& value, const char* needed) {
        throw Failure(ErrorCode::InvalidData,
                      thing + " is " + showJson(value) + ", " + needed + " was needed");
    };
    if (!entry.is_object()) refuse(name, entry, "an object with a content");
    const json& content = memberOf(entry, "content");
    if (!content.is_string() || content.get_ref<const std::string&>().empty())
        refuse(name + ": content", content, "a text");
    // Every place of a prompt is held against each length that tokens have.
    constexpr std::size_t kMostContent = 256;
    if (const std::size_t bytes = content.get_ref<const std::string&>().size(); bytes > kMostContent)
        throw Failure(ErrorCode::InvalidData, name + ": content has " + std::to_string(bytes) +
                                                  " bytes, at most " + std::to_string(kMostContent) +
                                                  " were needed");
    for (const char* key : {"lstrip", "rstrip", "normalized", "single_word", "special"})
        if (const auto flag = entry.find(key); flag != entry.end() && !flag->is_boolean())
            refuse(name + ": " + key, *flag, "true or false");
}

AddedTokens addedTokensOfConfig(const json& config, const fs::path& path) {
    const auto listed = config.find("added_tokens_decoder");
    if (listed == config.end() || listed->is_null()) return {};
    const std::string name = path.string() + ": added_tokens_decoder";
    ListedTokens tokens(name);
    if (!listed->is_object())
        throw Failure(ErrorCode::InvalidData,
                      name + " is " + showJson(*listed) + ", an object of ids and their tokens was needed");
    for (const auto& [key, entry] : listed->items()) {
        const std::optional<std::int64_t> id = idOfKey(key);
        if (!id)
            throw Failure(ErrorCode::InvalidData,
                          name + " has the key " + showJson(json(key)) + numberNeeded());
        tokens.add(tokenOf(entry, *id, name + ": token " + key));
    }
    return tokens.take();
}

AddedTokens addedTokensOfTokenizer(const json& tokenizer, const fs::path& path) {
    const json& listed = memberOf(tokenizer, "added_tokens");
    if (listed.is_null()) return {};
    const std::string name = path.string() + ": added_tokens";
    ListedTokens tokens(name);
    if (!listed.is_array())
        throw Failure(ErrorCode::InvalidData,
                      name + " is " + showJson(listed) + ", a list of tokens was needed");
    for (std::size_t i = 0; i < listed.size(); ++i) {
        const std::string entry = name + ": entry " + std::to_string(i + 1);
        AddedToken token = tokenOf(listed[i], -1, entry);
        const json& id = memberOf(listed[i], "id");
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() > kMaxTokenId)
            throw Failure(ErrorCode::InvalidData, entry + ": id is " + showJson(id) + numberNeeded());
        token.id = id.get<std::int64_t>();
        tokens.add(std::move(token));
    }
    return tokens.take();
}

OtherPlaces otherPlacesOf(const AddedTokens& tokens, std::int64_t pieces,
                          const std::function<std::optional<std::int64_t>(const std::string&)>& placeOf) {
    OtherPlaces others;
    std::map<std::int64_t, std::string> behind;
    tokens.each([&](const AddedToken& token) {
        const std::optional<std::int64_t> place = placeOf(token.content);
        if (!place)
            behind.emplace(token.id, token.content);
        else if (*place != token.id)
            others.emplace(token.content, *place);
    });
    std::int64_t next = pieces;
    for (const auto& [id, content] : behind) {
        if (id != next) others.emplace(content, next);
        ++next;
    }
    return others;
}

void requirePlace(const AddedToken& token, const OtherPlaces& others, const std::string& origin) {
    const auto other = others.find(token.content);
    if (other == others.end()) return;
    throw Failure(ErrorCode::InvalidData, origin + ": the added token " + showJson(json(token.content)) +
                                              " has the id " + std::to_string(token.id) + ", " +
                                              std::to_string(other->second) +
                                              ", its place in the vocabulary or behind it, was needed");
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
