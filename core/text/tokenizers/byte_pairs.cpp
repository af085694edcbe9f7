#include "core/text/tokenizers/byte_pairs.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <queue>
#include <tuple>
#include <unordered_set>

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

}  // namespace

BytePairs::BytePairs(const json& vocabulary, const Merges& merges, const std::string& unknown,
                     const std::string& origin) {
    const auto invalid = [&](const std::string& what) {
        throw Failure(ErrorCode::InvalidData, origin + ": " + what);
    };
    if (!vocabulary.is_object() || vocabulary.empty())
        invalid("a vocabulary was needed, an object of tokens and their ids");
    for (const auto& [token, id] : vocabulary.items()) {
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() >= kMostTokens)
            invalid("the id of token " + showJson(token) + " is " + showJson(id) +
                    ", a whole number from 0 to " + std::to_string(kMostTokens - 1) + " was needed");
        const auto place = static_cast<std::size_t>(id.get<std::int64_t>());
        if (place >= m_tokens.size()) m_tokens.resize(place + 1);
        m_tokens[place] = token;
        m_ids.emplace(token, static_cast<std::int64_t>(place));
    }
    const auto known = [&](const std::string& token) {
        const auto id = idOf(token);
        if (!id) invalid("its merges make " + showJson(token) + ", which its vocabulary lacks");
        return *id;
    };
    std::int64_t rank = 0;
    for (const auto& [left, right] : merges) {
        const std::int64_t first = known(left), second = known(right);
        m_merges.try_emplace(pairKey(first, second), Merge{rank++, known(left + right)});
    }
    if (const std::string token = neverMade(merges); !token.empty())
        invalid("its vocabulary has " + showJson(token) + ", which no merge makes: its merges are cut short");
    const auto id = idOf(unknown);
    if (!id) invalid("its vocabulary lacks " + showJson(unknown));
    m_unknown = *id;
}

/// A vocabulary has the ends of words that merges made and of single letters, no others.
std::string BytePairs::neverMade(const Merges& merges) const {
    std::unordered_set<std::string> made;
    for (const auto& [left, right] : merges) made.insert(left + right);
    for (const std::string& token : m_tokens)
        if (token.ends_with(kWordEnd) && !made.contains(token) &&
            decodeUtf8(token).size() > kWordEnd.size() + 1)
            return token;
    return {};
}

std::optional<std::int64_t> BytePairs::idOf(const std::string& token) const {
    const auto found = m_ids.find(token);
    if (found == m_ids.end()) return std::nullopt;
    return found->second;
}

const BytePairs::Merge* BytePairs::mergeOf(std::int64_t left, std::int64_t right) const {
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
        if (const Merge* merge = mergeOf(symbols[at].id, symbols[symbols[at].after].id))
            candidates.emplace(merge->rank, at, merge->id);
    };
    for (std::size_t i = 0; i < symbols.size(); ++i) consider(i);
    while (!candidates.empty()) {
        const auto [rank, at, id] = candidates.top();
        candidates.pop();
        Symbol& left = symbols[at];
        if (left.gone || left.after == kNone) continue;
        const Merge* merge = mergeOf(left.id, symbols[left.after].id);
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
