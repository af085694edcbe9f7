#include "core/text/tokenizers/byte_pairs.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <queue>
#include <tuple>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/cleaning/utf8.h"

namespace reelgrid::text {
namespace {

using nlohmann::json;

constexpr std::string_view kWordEnd = "</w>";
// CLIP's has 49,408; ids go into the rows of an embedding table.
constexpr std::int64_t kMostTokens = 1 << 22;

/// GPT-2's characters for bytes: printable ones stand for themselves, the others for 256 and what follows.
struct ByteCharacters {
    std::array<std::string, 256> ofByte;
    std::unordered_map<char32_t, char> byteOf;

    ByteCharacters() {
        char32_t next = 256;
        for (char32_t byte = 0; byte < 256; ++byte) {
            const bool printable =
                (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
            const char32_t character = printable ? byte : next++;
            ofByte[byte] = encodeUtf8({&character, 1});
            byteOf[character] = static_cast<char>(byte);
        }
    }
};

const ByteCharacters& byteCharacters() {
    static const ByteCharacters kCharacters;
    return kCharacters;
}

std::uint64_t pairKey(std::int64_t left, std::int64_t right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

/// Whether it is one character, with a word's end or without, or nothing.
bool isOneCharacter(std::string_view token) {
    if (token.ends_with(kWordEnd)) token.remove_suffix(kWordEnd.size());
    return decodeUtf8(token).size() <= 1;
}

}  // namespace

BytePairs::BytePairs(const json& vocabulary, const std::string& origin, const Merges& merges,
                     const std::unordered_set<std::string>& apart, const std::string& unknown) {
    readVocabulary(vocabulary, origin);
    const auto known = [&](const std::string& token, const Merge& merge) {
        if (const auto id = idOf(token)) return *id;
        throw Failure(ErrorCode::InvalidData, merges.nameOf(merge) + " needs " + showJson(json(token)) +
                                                  ", which the vocabulary lacks");
    };
    std::int64_t rank = 0;
    for (const Merge& merge : merges.list) {
        const std::int64_t left = known(merge.left, merge), right = known(merge.right, merge);
        m_merges.try_emplace(pairKey(left, right), Made{rank++, known(merge.made(), merge)});
    }
    requireAllMade(merges, apart);
    const auto id = idOf(unknown);
    if (!id)
        throw Failure(ErrorCode::InvalidData,
                      origin + ": its vocabulary lacks " + showJson(json(unknown)) + ", the unk_token");
    m_unknown = *id;
}

void BytePairs::readVocabulary(const json& vocabulary, const std::string& origin) {
    const auto invalid = [&](const std::string& what) {
        throw Failure(ErrorCode::InvalidData, origin + ": " + what);
    };
    if (!vocabulary.is_object() || vocabulary.empty())
        invalid("a vocabulary was needed, an object of tokens and their ids");
    for (const auto& [token, id] : vocabulary.items()) {
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() >= kMostTokens)
            invalid("the id of token " + showJson(json(token)) + " is " + showJson(id) +
                    ", a whole number from 0 to " + std::to_string(kMostTokens - 1) + " was needed");
        const auto place = static_cast<std::size_t>(id.get<std::int64_t>());
        if (place >= m_tokens.size()) m_tokens.resize(place + 1);
        if (!m_tokens[place].empty())
            invalid("the id of token " + showJson(json(token)) + " is " + showJson(id) + ", as that of " +
                    showJson(json(m_tokens[place])) + "; one of its own was needed");
        m_tokens[place] = token;
        m_ids.emplace(token, static_cast<std::int64_t>(place));
    }
}

/// A vocabulary has single characters, with a word's end or without, tokens that merges make of what is there
/// by then, and those that texts are cut at, no others.
void BytePairs::requireAllMade(const Merges& merges, const std::unordered_set<std::string>& apart) const {
    std::unordered_map<std::string, const Merge*> makers;  // the first of each token
    for (const Merge& merge : merges.list) makers.try_emplace(merge.made(), &merge);
    for (const std::string& token : m_tokens)
        if (!isOneCharacter(token) && !makers.contains(token) && !apart.contains(token))
            throw Failure(ErrorCode::InvalidData, merges.origin + ": the vocabulary has " +
                                                      showJson(json(token)) +
                                                      ", which no merge makes: merges are missing");
    for (const Merge& merge : merges.list)
        for (const std::string& part : {merge.left, merge.right})
            if (const auto maker = makers.find(part);
                maker != makers.end() && !isOneCharacter(part) && maker->second->place > merge.place)
                throw Failure(ErrorCode::InvalidData, merges.nameOf(merge) + " needs " +
                                                          showJson(json(part)) + ", which " + merges.unit +
                                                          " " + std::to_string(maker->second->place) +
                                                          " makes; an earlier one was needed");
}

std::optional<std::int64_t> BytePairs::idOf(const std::string& token) const {
    const auto found = m_ids.find(token);
    if (found == m_ids.end()) return std::nullopt;
    return found->second;
}

const BytePairs::Made* BytePairs::mergeOf(std::int64_t left, std::int64_t right) const {
    const auto found = m_merges.find(pairKey(left, right));
    return found == m_merges.end() ? nullptr : &found->second;
}

std::vector<std::int64_t> BytePairs::symbolsOf(std::string_view word) const {
    std::vector<std::int64_t> symbols;
    for (std::size_t i = 0; i < word.size(); ++i) {
        std::string symbol = byteCharacters().ofByte[static_cast<unsigned char>(word[i])];
        if (i + 1 == word.size()) symbol += kWordEnd;
        symbols.push_back(idOf(symbol).value_or(m_unknown));
    }
    return symbols;
}

/// The merge of the lowest rank first, of those the leftmost, in time n log n.
void BytePairs::append(std::string_view word, std::vector<std::int64_t>& ids) const {
    constexpr std::size_t kNone = ~std::size_t{0};
    struct Symbol {
        std::int64_t id = 0;
        std::size_t before = 0, after = 0;
        bool gone = false;
    };
    std::vector<Symbol> symbols;
    for (const std::int64_t id : symbolsOf(word))
        symbols.push_back({id, symbols.size() - 1, symbols.size() + 1});
    if (symbols.empty()) return;
    symbols.back().after = kNone;

    using Candidate = std::tuple<std::int64_t, std::size_t, std::int64_t>;  // rank, place, id of the pair
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
    const auto consider = [&](std::size_t at) {
        if (at == kNone || symbols[at].after == kNone) return;
        if (const Made* merge = mergeOf(symbols[at].id, symbols[symbols[at].after].id))
            candidates.emplace(merge->rank, at, merge->id);
    };
    for (std::size_t i = 0; i < symbols.size(); ++i) consider(i);
    while (!candidates.empty()) {
        const auto [rank, at, id] = candidates.top();
        candidates.pop();
        Symbol& left = symbols[at];
        if (left.gone || left.after == kNone) continue;
        const Made* merge = mergeOf(left.id, symbols[left.after].id);
        if (merge == nullptr || merge->id != id) continue;
        Symbol& right = symbols[left.after];
        right.gone = true;
        left.id = id;
        left.after = right.after;
        if (left.after != kNone) symbols[left.after].before = at;
        consider(left.before);
        consider(at);
    }
    for (const Symbol& symbol : symbols)
        if (!symbol.gone) ids.push_back(symbol.id);
}

std::string BytePairs::textOf(std::int64_t id) const {
    const std::string& token = m_tokens.at(static_cast<std::size_t>(id));
    const bool ends = token.ends_with(kWordEnd);
    const std::string_view kept =
        std::string_view(token).substr(0, token.size() - (ends ? kWordEnd.size() : 0));
    std::string bytes;
    for (const char32_t character : decodeUtf8(kept)) {
        const auto byte = byteCharacters().byteOf.find(character);
        if (byte != byteCharacters().byteOf.end()) bytes += byte->second;
    }
    return ends ? bytes + ' ' : bytes;
}

}  // namespace reelgrid::text
