#include "core/suite/suite_source.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/protocol/file_fields.h"
#include "core/suite/toml_reader.h"

namespace reelgrid::suite {
namespace {

using nlohmann::json;

constexpr std::size_t kMostTomlBytes = std::size_t{16} << 20, kMostSuiteBytes = std::size_t{64} << 20;

/// Where `word` stands by itself in the text; npos: nowhere.
std::size_t findWord(const std::string& text, const std::string& word) {
    const auto isPart = [&](std::size_t at) {
        return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
    };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        if ((at == 0 || !isPart(at - 1)) && !isPart(at + word.size())) return at;
    return std::string::npos;
}

}  // namespace

Error SuiteSource::place(const Error& error) const {
    const Error said = protocol::withKeys(error);
    // Messages name the key before its value, which may hold another key's name.
    std::size_t first = std::string::npos;
    int line = 0;
    for (const auto& [key, inLine] : lines) {
        // "seeds" is said as "seed" where one of its values is wrong.
        const bool isPlural = key.size() > 1 && key.ends_with('s');
        const std::size_t at =
            std::min(findWord(said.message, key),
                     isPlural ? findWord(said.message, key.substr(0, key.size() - 1)) : std::string::npos);
        if (at >= first) continue;
        first = at;
        line = inLine;
    }
    return said.in(line > 0 ? name + ":" + std::to_string(line) : name);
}

Result<SuiteSource> readSuiteSource(const std::filesystem::path& file) {
    if (file.extension() == ".toml") {
        const auto text = readFile(file, kMostTomlBytes);
        if (!text) return protocol::asBadUsage(text.error());
        return suiteSourceFromToml(*text, file.string());
    }
    auto document = readJsonObject(file, kMostSuiteBytes, RepeatedKeys::Refused);
    if (!document) return protocol::asBadUsage(document.error());
    return SuiteSource{file.string(), *std::move(document), {}};
}

Result<SuiteSource> suiteSourceFromToml(std::string_view text, const std::string& name) {
    auto table = readToml(text, name);
    if (!table) return protocol::asBadUsage(table.error());
    return SuiteSource{name, std::move(table->document), std::move(table->lines)};
}

}  // namespace reelgrid::suite
