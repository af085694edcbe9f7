#include "core/base/json_keys.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/json.h"
#include "core/base/pending_file.h"

namespace reelgrid {

Result<void> requireKeysOnce(std::string_view text, const std::string& what) {
    using nlohmann::json;
    std::vector<std::set<std::string>> open;  // the keys so far of each object that is begun
    std::string twice;
    const auto see = [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) open.emplace_back();
        if (event == json::parse_event_t::object_end) open.pop_back();
        if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
            twice = showJson(parsed);
        return true;
    };
    [[maybe_unused]] const json all = json::parse(text, see, false);
    if (twice.empty()) return {};
    return Error{ErrorCode::InvalidData, what + ": " + twice + " is there twice, once was needed"};
}

Result<void> requireKeysOnce(const std::filesystem::path& file, std::size_t maxBytes) {
    const auto text = readFile(file, maxBytes);
    return text ? requireKeysOnce(std::string_view(*text), file.string()) : text.error();
}

}  // namespace reelgrid
