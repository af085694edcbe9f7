#include "core/protocol/parse_json.h"

#include <nlohmann/json.hpp>

#include "core/base/json_depth.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

constexpr std::size_t kShownBytes = 60;

/// Cuts without splitting a UTF-8 sequence.
std::string shortened(std::string text) {
    if (text.size() <= kShownBytes) return text;
    std::size_t end = kShownBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "…";
}

}  // namespace

Result<json> parseJson(std::string_view text, const std::string& what) {
    if (const int depth = jsonDepth(text); depth > kMaxJsonDepth)
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
