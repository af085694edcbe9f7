#include "widgets/panels/prompt_guide.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::widgets {

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxWords = 1000;
constexpr std::size_t kMaxWordBytes = 200;
constexpr std::size_t kMaxSuggestions = 100;

/// The texts at `key`; each must have a word in it.
QStringList readTexts(protocol::FieldReader& reader, const char* key, std::size_t maxTexts) {
    QStringList texts;
    const nlohmann::json* list = reader.array(key, maxTexts, /*required=*/true);
    if (list == nullptr) return texts;
    for (const nlohmann::json& each : *list) {
        const auto* text = each.get_ptr<const std::string*>();
        if (text == nullptr || text->empty() || text->size() > kMaxWordBytes) {
            reader.fail(std::string(key) + ": " + showJson(each) + ": a text of 1 to " +
                        std::to_string(kMaxWordBytes) + " bytes was needed");
            return texts;
        }
        texts.append(QString::fromStdString(*text));
    }
    if (texts.isEmpty()) reader.fail(std::string(key) + ": empty, at least one text was needed");
    return texts;
}

/// In lower case, without punctuation: "T-Rex's" is t, rex, s.
QStringList wordsOf(const QString& text) {
    QString spaced = text.toLower();
    for (QChar& letter : spaced)
        if (!letter.isLetterOrNumber()) letter = ' ';
    return spaced.split(' ', Qt::SkipEmptyParts);
}

bool isWordOrPlural(const QString& said, const QString& word) {
    if (said == word || said == word + 's') return true;
    const auto endsWith = [&word](const char* ending) { return word.endsWith(QLatin1String(ending)); };
    constexpr std::array<const char*, 6> hissing{"s", "x", "z", "ch", "sh", "o"};
    if (std::ranges::any_of(hissing, endsWith) && said == word + "es") return true;
    if (endsWith("y") && said == word.chopped(1) + "ies") return true;
    return endsWith("man") && said == word.chopped(2) + "en";
}

/// Whether `phrase` stands in `words` from `first` on; its last word may be in the plural.
bool standsAt(const QStringList& words, qsizetype first, const QStringList& phrase) {
    if (phrase.isEmpty() || first + phrase.size() > words.size()) return false;
    for (qsizetype i = 0; i + 1 < phrase.size(); ++i)
        if (words[first + i] != phrase[i]) return false;
    return isWordOrPlural(words[first + phrase.size() - 1], phrase.back());
}

std::vector<QStringList> splitAll(const QStringList& phrases) {
    std::vector<QStringList> split;
    split.reserve(std::size_t(phrases.size()));
    for (const QString& phrase : phrases) split.push_back(wordsOf(phrase));
    return split;
}

}  // namespace

Result<PromptGuide> PromptGuide::read(const std::filesystem::path& file) {
    auto text = readFile(file, kMaxFileBytes);
    if (!text) return text.error();
    return parse(*text, file.string());
}

Result<PromptGuide> PromptGuide::parse(std::string_view json, const std::string& what) {
    const auto parsed = parseJson(json, what);
    if (!parsed) return parsed.error();
    protocol::FieldReader reader(*parsed, what, ErrorCode::InvalidData);
    PromptGuide guide;
    guide.m_suggestions = readTexts(reader, "suggestions", kMaxSuggestions);
    const nlohmann::json* words = reader.object("words", /*required=*/true);
    if (auto read = reader.finish(); !read) return read.error();

    protocol::FieldReader groups(*words, what + ": words", ErrorCode::InvalidData);
    for (const auto& [key, title] : {std::pair{"objects", "Objects"},
                                     {"backgrounds", "Backgrounds"},
                                     {"motions", "Motions"},
                                     {"colours", "Colours"}})
        guide.m_groups.push_back({title, readTexts(groups, key, kMaxWords)});
    if (auto read = groups.finish(); !read) return read.error();
    guide.m_objects = splitAll(guide.m_groups[0].words);
    guide.m_backgrounds = splitAll(guide.m_groups[1].words);
    return guide;
}

bool PromptGuide::namesKnownObject(const QString& prompt) const {
    const QStringList words = wordsOf(prompt);
    for (qsizetype i = 0; i < words.size();) {
        const auto stands = [&](const QStringList& phrase) { return standsAt(words, i, phrase); };
        qsizetype background = 0;
        for (const QStringList& phrase : m_backgrounds)
            if (stands(phrase)) background = std::max(background, phrase.size());
        if (background == 0 && std::ranges::any_of(m_objects, stands)) return true;
        i += std::max<qsizetype>(background, 1);
    }
    return false;
}

}  // namespace reelgrid::widgets
