#include "core/text/tokenizers/merges.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "core/base/json.h"
#include "core/base/result.h"

namespace reelgrid::text {
namespace {

using nlohmann::json;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// "a b"
Merge mergeOf(const std::string& text, std::size_t place, const Merges& merges) {
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || space == 0 || space + 1 == text.size() ||
        text.find(' ', space + 1) != std::string::npos)
        throw Failure(ErrorCode::InvalidData,
                      merges.origin + ": " + merges.unit + " " + std::to_string(place) + ", the merge " +
                          showJson(json(text)) + ": two tokens and a space were needed");
    return {text.substr(0, space), text.substr(space + 1), place};
}

/// Programs differ in which of two ranks such a merge has.
void requireEachOnce(const Merges& merges) {
    std::unordered_map<std::string, std::size_t> places;
    for (const Merge& merge : merges.list) {
        // Tokens of tokenizer.json may have spaces: the length says where the left one ends.
        const std::string key = std::to_string(merge.left.size()) + ' ' + merge.left + ' ' + merge.right;
        const auto [first, isNew] = places.try_emplace(key, merge.place);
        if (!isNew)
            throw Failure(ErrorCode::InvalidData, merges.nameOf(merge) + " is that of " + merges.unit + " " +
                                                      std::to_string(first->second) +
                                                      " again, each was needed once");
    }
}

}  // namespace

std::string Merges::nameOf(const Merge& merge) const {
    return origin + ": " + unit + " " + std::to_string(merge.place) + ", the merge " +
           showJson(json(merge.left + ' ' + merge.right));
}

Merges mergesOfText(const std::string& lines, const std::string& origin) {
    if (lines.starts_with(kByteOrderMark))
        throw Failure(ErrorCode::InvalidData,
                      origin + ": it begins with a byte order mark, UTF-8 without one was needed");
    Merges merges{origin, "line", {}};
    std::size_t number = 0;
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        std::string line = lines.substr(at, end - at);
        if (line.ends_with('\r')) line.pop_back();
        const bool isVersion = at == 0 && line.starts_with("#version");
        ++number;
        if (!line.empty() && !isVersion) merges.list.push_back(mergeOf(line, number, merges));
        at = end + 1;
    }
    requireEachOnce(merges);
    return merges;
}

Merges mergesOfJson(const json& listed, const std::string& origin) {
    if (!listed.is_array()) throw Failure(ErrorCode::InvalidData, origin + ": it has no list of merges");
    Merges merges{origin, "entry", {}};
    std::size_t number = 0;
    for (const json& merge : listed) {
        ++number;
        const bool isPair =
            merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
        if (!isPair && !merge.is_string())
            throw Failure(ErrorCode::InvalidData, origin + ": entry " + std::to_string(number) +
                                                      ", the merge " + showJson(merge) +
                                                      ": two tokens were needed");
        merges.list.push_back(isPair ? Merge{merge[0].get<std::string>(), merge[1].get<std::string>(), number}
                                     : mergeOf(merge.get<std::string>(), number, merges));
    }
    requireEachOnce(merges);
    return merges;
}

}  // namespace reelgrid::text
