#include "core/base/json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/pending_file.h"

namespace reelgrid {
namespace {

using nlohmann::json;

constexpr std::size_t kShownBytes = 60;

/// Calls `see(at)` for every byte outside strings. The text need not be JSON at all.
template <class See>
void outsideStrings(std::string_view text, const See& see) {
    bool inString = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (inString) {
            if (letter == '\\') ++at;
            if (letter == '"') inString = false;
        } else if (letter == '"') {
            inString = true;
        } else {
            see(at);
        }
    }
}

/// How deep brackets nest, seen before a tree is built.
int depthOf(std::string_view text) {
    int depth = 0;
    int deepest = 0;
    outsideStrings(text, [&](std::size_t at) {
        if (text[at] == '[' || text[at] == '{') deepest = std::max(deepest, ++depth);
        if (text[at] == ']' || text[at] == '}') --depth;
    });
    return deepest;
}

/// Python's three constants in quotation marks.
std::string withQuotedConstants(std::string_view text) {
    constexpr std::array<std::string_view, 3> kConstants{"NaN", "-Infinity", "Infinity"};
    std::string quoted;
    std::size_t copied = 0;
    outsideStrings(text, [&](std::size_t at) {
        if (at < copied) return;
        for (const std::string_view constant : kConstants) {
            if (!text.substr(at).starts_with(constant)) continue;
            quoted.append(text.substr(copied, at - copied)).append("\"").append(constant).append("\"");
            copied = at + constant.size();
            return;
        }
    });
    return quoted.append(text.substr(copied));
}

/// Cuts without splitting a UTF-8 sequence.
std::string shortened(std::string text) {
    if (text.size() <= kShownBytes) return text;
    std::size_t end = kShownBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "…";
}

/// Where in the text a number that nlohmann could not hold stands, and which: " at byte 7: 1e999" of its
/// "number overflow parsing '1e999'".
std::string placeOfNumber(std::string_view text, std::string_view problem) {
    const auto begin = problem.find('\''), end = problem.rfind('\'');
    if (begin == problem.npos || end <= begin + 1) return {};
    const std::string_view number = problem.substr(begin + 1, end - begin - 1);
    std::size_t place = text.size();
    outsideStrings(text, [&](std::size_t at) {
        if (place == text.size() && text.substr(at).starts_with(number)) place = at;
    });
    return (place == text.size() ? "" : " at byte " + std::to_string(place + 1)) + ": " +
           shortened(std::string(number));
}

/// Parses, and keeps in `repeated` a key that an object has twice, as a message shows it.
json parsedWatchingKeys(std::string_view text, std::string& repeated) {
    std::vector<std::set<std::string>> open;  // the keys so far of each object that is begun
    return json::parse(text, [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) open.emplace_back();
        if (event == json::parse_event_t::object_end) open.pop_back();
        if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
            repeated = showJson(parsed);
        return true;
    });
}

}  // namespace

Result<json> parseJson(std::string_view text, const std::string& what, JsonDialect dialect,
                       RepeatedKeys keys) {
    const auto invalid = [&](const std::string& why) {
        return Error{ErrorCode::InvalidData, what + ": " + why};
    };
    if (const int depth = depthOf(text); depth > kMaxJsonDepth)
        return invalid("JSON nested " + std::to_string(depth) + " deep, at most " +
                       std::to_string(kMaxJsonDepth) + " was expected");
    try {
        const std::string quoted = dialect == JsonDialect::Python ? withQuotedConstants(text) : std::string();
        const std::string_view standard = dialect == JsonDialect::Python ? quoted : text;
        if (keys == RepeatedKeys::LastCounts) return json::parse(standard);
        std::string repeated;
        json parsed = parsedWatchingKeys(standard, repeated);
        if (!repeated.empty()) return invalid(repeated + " is there twice, once was needed");
        return parsed;
    } catch (const json::out_of_range& error) {
        return invalid("a number that is too large" + placeOfNumber(text, error.what()));
    } catch (const json::exception& error) {
        const auto* where = dynamic_cast<const json::parse_error*>(&error);
        const std::string place = where == nullptr ? "" : " at byte " + std::to_string(where->byte);
        return invalid("not JSON" + place + ": " +
                       showJson(json(std::string(text.substr(0, 4 * kShownBytes)))));
    }
}

Result<json> readJsonObject(const std::filesystem::path& path, std::size_t maxBytes, RepeatedKeys keys) {
    const auto text = readFile(path, maxBytes);
    if (!text) return text.error();
    auto parsed = parseJson(*text, path.string(), JsonDialect::Python, keys);
    if (parsed && !parsed->is_object())
        return Error{ErrorCode::InvalidData,
                     path.string() + ": holds " + showJson(*parsed) + ", a JSON object was needed"};
    return parsed;
}

std::string printJson(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string printJsonIndented(const json& value) {
    return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string showJson(const json& value) {
    return shortened(printJson(value));
}

}  // namespace reelgrid
