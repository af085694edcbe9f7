#include "core/weights/json_file.h"

#include "core/base/json_depth.h"
#include "core/base/pending_file.h"

namespace reelgrid::weights {
namespace {

constexpr int kMaxDepth = 32;

}  // namespace

Result<nlohmann::json> readJson(const std::filesystem::path& path, std::size_t maxBytes) {
    const auto text = readFile(path, maxBytes);
    if (!text) return text.error();
    return parseJson(*text, path.string());
}

Result<nlohmann::json> parseJson(const std::string& text, const std::string& origin) {
    const auto invalid = [&](const std::string& why) {
        return Error{ErrorCode::InvalidData, origin + ": " + why};
    };
    const int depth = jsonDepth(text);
    if (depth > kMaxDepth)
        return invalid("JSON nested " + std::to_string(depth) + " deep, at most " +
                       std::to_string(kMaxDepth) + " is read");
    try {
        auto json = nlohmann::json::parse(text);
        if (!json.is_object())
            return invalid(std::string("holds a JSON ") + json.type_name() + ", an object was needed");
        return json;
    } catch (const nlohmann::json::parse_error& error) {
        return invalid("not well-formed JSON at byte " + std::to_string(error.byte) + " of " +
                       std::to_string(text.size()));
    }
}

}  // namespace reelgrid::weights
