#include "core/text/tokenizers/clip_tokenizer.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/text/cleaning/utf8.h"
#include "core/text/tokenizers/code_points.h"
#include "core/text/tokenizers/json_member.h"
#include "core/text/tokenizers/merges.h"
#include "core/text/tokenizers/tokenizer_folder.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMaxVocabulary = std::size_t{64} << 20;
constexpr const char *kBeginUse = "bos_token", *kBegin = "<|startoftext|>";
constexpr const char* kEndOfText = "<|endoftext|>";

bool isThere(const fs::path& path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

/// Runs of white space become one space; then lower case.
std::string normalizedPrompt(std::string_view text) {
    std::u32string points;
    bool inSpace = false;
    for (const char32_t point : decodeUtf8(composed(text))) {
        const bool isSpace = isWhitespace(point);
        if (!isSpace)
            points += point;
        else if (!inSpace)
            points += U' ';
        inSpace = isSpace;
    }
    return lowercase(encodeUtf8(points));
}

/// How far a word reaches that begins at `at`: an English ending, letters, one digit, or other signs. A
/// special token that is none in this text ends at its own last sign.
std::size_t endOfWord(std::u32string_view text, std::size_t at) {
    for (const std::u32string_view special : {U"<|startoftext|>", U"<|endoftext|>"}) {
        const std::size_t name = special.size() - 2;
        if (text.substr(at).starts_with(special)) return at + 2;
        if (at >= name && text.substr(at - name).starts_with(special)) return at + 2;
    }
    static constexpr std::array<std::u32string_view, 7> kEndings{U"'s", U"'t",  U"'re", U"'ve",
                                                                 U"'m", U"'ll", U"'d"};
    for (const std::u32string_view ending : kEndings)
        if (text.substr(at).starts_with(ending)) return at + ending.size();
    if (isUnicodeNumber(text[at])) return at + 1;
    const bool letters = isUnicodeLetter(text[at]);
    std::size_t end = at + 1;
    while (end < text.size() && !isWhitespace(text[end]) && !isUnicodeNumber(text[end]) &&
           isUnicodeLetter(text[end]) == letters)
        ++end;
    return end;
}

}  // namespace

/// What a folder says, from whichever of its files.
struct ClipTokenizer::Files {
    json vocabulary;
    Merges merges;
    std::string origin;  ///< the vocabulary's file
    TokenizerFolder folder;
    std::map<std::string, json> specials;  ///< by what they are for: a text, or an object with its content

    explicit Files(const fs::path& path) : folder(path) {
        // What no file names is CLIP's own.
        for (const char* use : {kBeginUse, "eos_token", "unk_token", "pad_token"})
            specials[use] = folder.special(use).value_or(use == kBeginUse ? kBegin : kEndOfText);
        const fs::path vocab = path / "vocab.json", lines = path / "merges.txt";
        // Of two vocabularies the reference reads tokenizer.json's.
        if (!folder.hasVocabulary() && (isThere(vocab) || !folder.tokenizer)) {
            origin = vocab.string();
            // Whichever of a token's two ids counted, prompts would get another picture in silence.
            vocabulary = readJsonObject(vocab, kMaxVocabulary, RepeatedKeys::Refused).value();
            merges = mergesOfText(readFile(lines, kMaxVocabulary).value(), lines.string());
            return;
        }
        origin = folder.tokenizerPath.string();
        const json model = folder.tokenizer->value("model", json::object());
        if (!model.is_object() || model.value("end_of_word_suffix", json()) != "</w>")
            throw Failure(ErrorCode::Unsupported,
                          origin + ": CLIP's vocabulary was needed, byte pairs with \"</w>\" at words' ends");
        vocabulary = model.value("vocab", json());
        merges = mergesOfJson(model.value("merges", json()), origin);
    }

    [[nodiscard]] std::string special(const std::string& use) const {
        return TokenizerFolder::contentOf(specials.at(use)).value();
    }
    /// What needs no merge: tokens that a file lists, the special ones, and CLIP's own whatever their use.
    [[nodiscard]] std::unordered_set<std::string> apart() const {
        std::unordered_set<std::string> tokens{kBegin, kEndOfText};
        const auto add = [&](const AddedToken& token) { tokens.insert(token.content); };
        for (const auto& [use, token] : specials) tokens.insert(special(use));
        for (const FurtherSpecial& further : folder.furtherSpecials()) tokens.insert(further.content);
        if (folder.tokenizer) addedTokensOfTokenizer(*folder.tokenizer, folder.tokenizerPath).each(add);
        if (folder.config) addedTokensOfConfig(*folder.config, folder.configPath).each(add);
        return tokens;
    }
    /// The tokens that a file lists: where the config does, transformers 5 doesn't look at tokenizer.json's.
    [[nodiscard]] std::vector<json> listed() const {
        std::vector<json> tokens;
        if (folder.config && !memberOf(*folder.config, "added_tokens_decoder").is_null()) {
            (void)addedTokensOfConfig(*folder.config, folder.configPath);  // throws where it is none
            for (const auto& [id, entry] : folder.config->at("added_tokens_decoder").items()) {
                tokens.push_back(entry);
                tokens.back()["id"] = std::stoll(id);
            }
        } else if (folder.tokenizer &&
                   !addedTokensOfTokenizer(*folder.tokenizer, folder.tokenizerPath).empty()) {
            for (const json& entry : folder.tokenizer->at("added_tokens")) tokens.push_back(entry);
        }
        return tokens;
    }
    /// Every token that is looked for in a text: those that a file lists, and the special ones.
    [[nodiscard]] std::vector<json> added(const BytePairs& pairs) const {
        std::vector<json> tokens = listed();
        std::unordered_set<std::string> known;
        for (const json& token : tokens) known.insert(token.at("content").get<std::string>());
        // One that any of its uses names by its text alone is looked for in texts as they are.
        for (const bool normalized : {false, true})
            for (const auto& [use, token] : specials)
                if (const auto id = pairs.idOf(special(use));
                    id && isNormalized(token) == normalized && !known.contains(special(use)))
                    tokens.push_back({{"content", special(use)}, {"id", *id}, {"normalized", normalized}});
        return tokens;
    }
    static bool isNormalized(const json& token) {
        return token.is_object() && token.value("normalized", json()) == true;
    }
};

ClipTokenizer::ClipTokenizer(const fs::path& folder) : ClipTokenizer(Files(folder)) {}

ClipTokenizer::ClipTokenizer(const Files& files)
    : m_configPath(files.folder.configPath.string()),
      m_modelMaxLength(files.folder.modelMaxLength()),
      m_pairs(files.vocabulary, files.origin, files.merges, files.apart(), files.special("unk_token")),
      m_origin(files.origin) {
    const auto idOf = [&](const std::string& use) {
        const std::string token = files.special(use);
        if (const auto id = m_pairs.idOf(token)) return *id;
        throw Failure(ErrorCode::InvalidData,
                      files.origin + ": its vocabulary lacks " + showJson(token) + ", the " + use);
    };
    m_begin = idOf(kBeginUse);
    m_end = idOf("eos_token");
    m_pad = idOf("pad_token");
    for (const json& token : files.added(m_pairs)) {
        const auto content = token["content"].get<std::string>();
        const auto id = token["id"].get<std::int64_t>();
        if (Files::isNormalized(token) && m_added.find(content) == nullptr)
            m_normalized.add({content, id});
        else
            m_added.add({content, id});
    }
    const auto placeOf = [this](const std::string& content) { return m_pairs.idOf(content); };
    AddedTokens all = m_added;
    m_normalized.each([&](const AddedToken& token) { all.add(token); });
    m_otherPlaces = otherPlacesOf(all, m_pairs.idBound(), placeOf);
    const auto known = [&](const std::string& content) -> std::optional<std::int64_t> {
        for (const AddedTokens* tokens : {&m_added, &m_normalized})
            if (const AddedToken* token = tokens->find(content)) return token->id;
        return std::nullopt;
    };
    files.folder.requireKnown(known);
    files.folder.requireFurtherSpecials(known);
}

void ClipTokenizer::requireLength(std::size_t length) const {
    if (!m_modelMaxLength || *m_modelMaxLength == static_cast<std::int64_t>(length)) return;
    throw Failure(ErrorCode::Unsupported, m_configPath + ": model_max_length is " +
                                              std::to_string(*m_modelMaxLength) + ", this version needs " +
                                              std::to_string(length) +
                                              ", as many as the text encoder is given");
}

std::vector<std::int64_t> ClipTokenizer::tokenize(const std::string& text) const {
    std::vector<std::int64_t> ids;
    const auto appendWords = [&](std::string_view part) {
        const std::u32string points = decodeUtf8(part);
        for (std::size_t at = 0; at < points.size();) {
            if (isWhitespace(points[at])) {
                ++at;
                continue;
            }
            const std::size_t end = endOfWord(points, at);
            m_pairs.append(encodeUtf8(std::u32string_view(points).substr(at, end - at)), ids);
            at = end;
        }
    };
    const auto append = [&](const AddedToken& token) {
        requirePlace(token, m_otherPlaces, m_origin);
        ids.push_back(token.id);
    };
    for (const TextPiece& piece : splitAtTokens(text, m_added)) {
        if (piece.token != nullptr) {
            append(*piece.token);
            continue;
        }
        const std::string normalized = normalizedPrompt(piece.text);
        for (const TextPiece& part : splitAtTokens(normalized, m_normalized))
            part.token != nullptr ? append(*part.token) : appendWords(part.text);
    }
    return ids;
}

ClipTokenIds ClipTokenizer::encode(const std::string& text, std::size_t length) const {
    if (length < 2) throw Failure(ErrorCode::Internal, "a prompt needs room for its begin and its end");
    const std::vector<std::int64_t> words = tokenize(text);
    const std::size_t kept = std::min(words.size(), length - 2);
    ClipTokenIds result;
    result.ids.push_back(m_begin);
    result.ids.insert(result.ids.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(kept));
    result.ids.push_back(m_end);
    result.count = result.ids.size();
    result.ids.resize(length, m_pad);
    result.cut = textOf(words, kept);
    return result;
}

std::string ClipTokenizer::textOf(const std::vector<std::int64_t>& ids, std::size_t first) const {
    std::string text;
    for (std::size_t i = first; i < ids.size(); ++i) text += m_pairs.textOf(ids[i]);
    // Where the cut goes through a character its bytes are no text by themselves.
    text = encodeUtf8(decodeUtf8(text));
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

std::int64_t ClipTokenizer::idBound() const {
    return std::max({m_pairs.idBound(), m_added.idBound(), m_normalized.idBound()});
}

}  // namespace reelgrid::text
