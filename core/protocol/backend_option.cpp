#include "core/protocol/backend_option.h"

#include <algorithm>
#include <string_view>

#include "core/protocol/index_ranges.h"

namespace reelgrid::protocol {
namespace {

constexpr std::size_t kMostKeyBytes = 40, kMostValueBytes = 240;

bool isOf(const std::string& text, std::string_view further, std::size_t mostBytes) {
    const auto fits = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               further.find(c) != further.npos;
    };
    return !text.empty() && text.size() <= mostBytes && std::ranges::all_of(text, fits);
}

}  // namespace

bool isOptionKey(const std::string& key) {
    return isOf(key, "_-", kMostKeyBytes);
}

bool isLayeredKey(const std::string& key) {
    const std::size_t at = key.find('@');
    if (at == key.npos) return isOptionKey(key);
    const auto layers = indexRangeFrom(key.substr(at + 1));
    return isOptionKey(key.substr(0, at)) && layers && layers->first >= 0 && layers->last >= layers->first;
}

bool isOptionValue(const std::string& value) {
    return isOf(value, "_-+.,", kMostValueBytes);
}

Result<BackendOptionChoice> BackendOptionChoice::from(const std::string& text) {
    const std::size_t dot = text.find('.'), equals = text.find('=');
    const bool isWhole = dot != text.npos && equals != text.npos && dot < equals;
    BackendOptionChoice choice;
    if (isWhole)
        choice = {text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1)};
    if (!isWhole || choice.backend.empty() || !isLayeredKey(choice.key) || !isOptionValue(choice.value))
        return Error{ErrorCode::BadUsage,
                     "--backend-option " + text +
                         ": NAME.KEY=VALUE was needed, or of some layers "
                         "NAME.KEY@FIRST-LAST=VALUE, the value of letters, digits, dots, "
                         "commas, +, - and _, " +
                         std::to_string(kMostValueBytes) + " at most"};
    return choice;
}

std::vector<BackendOptionChoice> choicesIn(const std::vector<std::string>& texts) {
    std::vector<BackendOptionChoice> choices;
    for (const std::string& text : texts) {
        auto choice = BackendOptionChoice::from(text);
        if (!choice) continue;
        const auto same = std::ranges::find_if(choices, [&](const BackendOptionChoice& other) {
            return other.backend == choice->backend && other.key == choice->key;
        });
        if (same != choices.end())
            same->value = choice->value;
        else
            choices.push_back(*std::move(choice));
    }
    return choices;
}

}  // namespace reelgrid::protocol
