#include "core/protocol/parse_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

constexpr std::size_t kShownBytes = 60;

/// The deepest nesting of brackets outside strings. Meant for text that need not be JSON at all.
int depthOf(std::string_view text) {
    int depth = 0;
    int deepest = 0;
    bool inString = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (inString) {
            if (letter == '\\') ++at;
            if (letter == '"') inString = false;
        } else if (letter == '"') {
            inString = true;
        } else if (letter == '[' || letter == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (letter == ']' || letter == '}') {
            --depth;
        }
    }
    return deepest;
}

/// Cuts without splitting a UTF-8 sequence.
std::string shortened(std::string text) {
    if (text.size() <= kShownBytes) return text;
    std::size_t end = kShownBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "…";
}

}  // namespace

Result<json> parseJson(std::string_view text, const std::string& what) {
    if (const int depth = depthOf(text); depth > kMaxJsonDepth)
        return Error{ErrorCode::InvalidData, what + ": nested " + std::to_string(depth) + " deep, at most " +
                                                 std::to_string(kMaxJsonDepth) + " was expected"};
    json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (parsed.is_discarded())
        return Error{ErrorCode::InvalidData,
                     what + ": not JSON: " + showJson(json(std::string(text.substr(0, 4 * kShownBytes))))};
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

}  // namespace reelgrid::protocol
