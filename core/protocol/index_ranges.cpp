#include "core/protocol/index_ranges.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

namespace reelgrid::protocol {
namespace {

constexpr int kMaxRangeIndex = 100'000;

std::optional<int> indexFromText(std::string_view text) {
    int index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && index >= -kMaxRangeIndex && index <= kMaxRangeIndex ? std::optional(index) : std::nullopt;
}

std::string spelled(const IndexRange& range) {
    if (range.first == range.last) return std::to_string(range.first);
    return std::string("[") + std::to_string(range.first) + ", " + std::to_string(range.last) + "]";
}

}  // namespace

std::optional<IndexRange> indexRangeFrom(std::string_view text) {
    if (const auto one = indexFromText(text)) return IndexRange{*one, *one};
    for (const std::string_view separator : {"..", "-"}) {
        const std::size_t at = text.find(separator, 1);  // a sign stands before it
        if (at == text.npos) continue;
        const auto first = indexFromText(text.substr(0, at));
        const auto last = indexFromText(text.substr(at + separator.size()));
        if (first && last) return IndexRange{*first, *last};
    }
    return std::nullopt;
}

Result<IndexRange> countedFromStart(const IndexRange& range, const std::string& noun, int count) {
    const auto wrong = [&](const std::string& needed) {
        return Error{ErrorCode::BadUsage, noun + "s " + spelled(range) + ": " + needed + " was needed"};
    };
    const std::string all = std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
    IndexRange found = range;
    for (int* index : {&found.first, &found.last}) {
        if (*index < -count || *index >= count)
            return wrong("0 to " + std::to_string(count - 1) + " (there are " + all + "), or -" +
                         std::to_string(count) + " to -1 counted from the end,");
        if (*index < 0) *index += count;
    }
    if (found.first > found.last) return wrong("of " + all + " a first that is not after the last");
    return found;
}

Result<std::vector<int>> indicesFrom(const std::string& ranges, const std::string& noun, int count) {
    if (ranges.empty()) {
        std::vector<int> all(static_cast<std::size_t>(count));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    std::set<int> named;
    for (std::size_t begin = 0; begin <= ranges.size();) {
        const std::size_t end = std::min(ranges.find(',', begin), ranges.size());
        const std::string part = ranges.substr(begin, end - begin);
        const auto range = indexRangeFrom(part);
        if (!range)
            return Error{ErrorCode::BadUsage, "\"" + part + "\" in \"" + ranges + "\": a " + noun +
                                                  " or a range of them such as 0,5-9,-2..-1 was needed"};
        const auto counted = countedFromStart(*range, noun, count);
        if (!counted) return counted.error();
        for (int index = counted->first; index <= counted->last; ++index) named.insert(index);
        begin = end + 1;
    }
    return std::vector<int>(named.begin(), named.end());
}

}  // namespace reelgrid::protocol
