#include "core/protocol/prompt_travel.h"

#include <charconv>
#include <string_view>

namespace reelgrid::protocol {
namespace {

constexpr char kBar = '|';
constexpr int kMostFrame = 1 << 20;

std::string_view trimmed(std::string_view text) {
    constexpr const char* kBlanks = " \t\r\n";
    const auto first = text.find_first_not_of(kBlanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Error wrongTravel(std::string_view entry, const std::string& needed) {
    return {ErrorCode::BadUsage, "--prompt-travel '" + std::string(entry) + "': " + needed + " was needed"};
}

Result<PromptAt> entryFrom(std::string_view entry) {
    const auto colon = entry.find(':');
    PromptAt at;
    const std::string_view number = trimmed(entry.substr(0, colon));
    const auto read = std::from_chars(number.data(), number.data() + number.size(), at.frame);
    if (colon == entry.npos || read.ec != std::errc() || read.ptr != number.data() + number.size() ||
        at.frame < 0 || at.frame > kMostFrame)
        return wrongTravel(entry, "FRAME: PROMPT with a frame from 0");
    at.prompt = trimmed(entry.substr(colon + 1));
    return at;
}

}  // namespace

Result<std::vector<PromptAt>> promptTravelFrom(const std::string& text) {
    std::vector<PromptAt> travel;
    std::string_view rest = trimmed(text);
    if (rest.empty() && !text.empty()) return wrongTravel(text, "FRAME: PROMPT with a frame from 0");
    while (!rest.empty()) {
        const auto bar = rest.find(kBar);
        auto at = entryFrom(rest.substr(0, bar));
        if (!at) return at.error();
        if (!travel.empty() && at->frame <= travel.back().frame)
            return wrongTravel(rest.substr(0, bar), "a frame after " + std::to_string(travel.back().frame));
        travel.push_back(*std::move(at));
        rest = bar == rest.npos ? std::string_view() : rest.substr(bar + 1);
    }
    return travel;
}

std::string promptTravelText(const std::vector<PromptAt>& travel) {
    std::string text;
    for (const PromptAt& at : travel)
        text += (text.empty() ? "" : " | ") + std::to_string(at.frame) + ": " + at.prompt;
    return text;
}

}  // namespace reelgrid::protocol
