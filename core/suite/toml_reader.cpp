#include "core/suite/toml_reader.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
// A text can break what the parser asserts ("[1, }]"); its own error follows.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "core/base/json.h"

namespace reelgrid::suite {
namespace {

using nlohmann::json;

/// A dotted key makes a table of each of its parts, and tables are taken down recursively: a line of nothing
/// but dots would overflow the stack.
constexpr std::ptrdiff_t kMostDotsInLine = 1000;

std::string placeOf(const std::string& name, const toml::source_region& source) {
    return name + ":" + std::to_string(source.begin.line) + ": ";
}

Error refusal(const std::string& name, const toml::node& node, const std::string& what) {
    return {ErrorCode::InvalidData, placeOf(name, node.source()) + what};
}

Result<json> jsonOf(const toml::node& node, const std::string& name, const std::string& key, int depth) {
    if (depth > kMaxJsonDepth)
        return refusal(
            name, node,
            key + ": nested more than " + std::to_string(kMaxJsonDepth) + " deep, at most that was expected");
    if (const auto* text = node.as_string()) return json(text->get());
    if (const auto* truth = node.as_boolean()) return json(truth->get());
    if (const auto* whole = node.as_integer()) {
        // As JSON's reader has them: what isn't negative is unsigned.
        const std::int64_t value = whole->get();
        return value < 0 ? json(value) : json(std::uint64_t(value));
    }
    if (const auto* number = node.as_floating_point()) {
        if (!std::isfinite(number->get())) return refusal(name, node, key + ": a finite number was needed");
        return json(number->get());
    }
    if (const auto* list = node.as_array()) {
        json values = json::array();
        for (const toml::node& each : *list) {
            auto value = jsonOf(each, name, key, depth + 1);
            if (!value) return value.error();
            values.push_back(*std::move(value));
        }
        return values;
    }
    if (const auto* table = node.as_table()) {
        json object = json::object();
        for (const auto& [own, each] : *table) {
            auto value = jsonOf(each, name, key, depth + 1);
            if (!value) return value.error();
            object[std::string(own.str())] = *std::move(value);
        }
        return object;
    }
    return refusal(name, node, key + ": a date or time; a text, number, truth value or list was needed");
}

Result<void> requireFewDots(std::string_view text, const std::string& name) {
    int line = 1;
    for (std::size_t begin = 0; begin < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view here = text.substr(begin, end - begin);
        if (const auto dots = std::ranges::count(here, '.'); dots > kMostDotsInLine)
            return Error{ErrorCode::InvalidData, name + ":" + std::to_string(line) + ": " +
                                                     std::to_string(dots) + " dots in a line, at most " +
                                                     std::to_string(kMostDotsInLine) +
                                                     " were expected (a list may be in several lines)"};
        begin = end + 1;
    }
    return {};
}

/// Behind the quoted text that begins at `at`, or at the end of a line that lacks its end.
std::size_t behindText(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string mark(text.substr(at, 3) == std::string(3, quote) ? 3 : 1, quote);
    const bool isOfLines = mark.size() == 3;
    for (at += mark.size(); at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"') {
            ++at;
            continue;
        }
        if (text[at] == '\n' && !isOfLines) return at;
        if (text.substr(at, mark.size()) != mark) continue;
        at += mark.size();
        // Up to two more of its marks are the text's own.
        for (int more = 0; isOfLines && more < 2 && text.substr(at, 1) == std::string(1, quote); ++more) ++at;
        return at;
    }
    return text.size();
}

/// TOML has nothing else outside of quoted texts and comments, and there the parser (toml++ 3.3) asks of some
/// such characters what it has no answer to, which is undefined behaviour.
Result<void> requireAsciiOutsideTexts(std::string_view text, const std::string& name) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF", kBeforeTexts = " \t\r\n=[{,.";
    const auto refused = [&](std::size_t at, const std::string& what) {
        return Error{ErrorCode::InvalidData,
                     name + ":" + std::to_string(1 + std::ranges::count(text.substr(0, at), '\n')) +
                         ": not TOML: " + what};
    };
    const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    for (std::size_t at = begin; at < text.size();) {
        const char here = text[at];
        if (here == '#') {
            at = std::min(text.find('\n', at), text.size());
        } else if (here == '"' || here == '\'') {
            if (at > begin && kBeforeTexts.find(text[at - 1]) == kBeforeTexts.npos)
                return refused(at, "a quoted text within a word");
            at = behindText(text, at);
        } else if (static_cast<unsigned char>(here) >= 0x80) {
            return refused(at, "a character that isn't ASCII, quotes around it were needed");
        } else {
            ++at;
        }
    }
    return {};
}

}  // namespace

Result<TomlTable> readToml(std::string_view text, const std::string& name) {
    if (auto few = requireFewDots(text, name); !few) return few.error();
    if (auto plain = requireAsciiOutsideTexts(text, name); !plain) return plain.error();
    const toml::parse_result parsed = toml::parse(text, name);
    if (!parsed) {
        const toml::parse_error& error = parsed.error();
        return Error{ErrorCode::InvalidData,
                     placeOf(name, error.source()) + "not TOML: " + std::string(error.description())};
    }
    TomlTable table{json::object(), {}};
    for (const auto& [key, node] : parsed.table()) {
        const std::string own(key.str());
        auto value = jsonOf(node, name, own, 1);
        if (!value) return value.error();
        table.document[own] = *std::move(value);
        table.lines[own] = int(key.source().begin.line);
    }
    return table;
}

}  // namespace reelgrid::suite
