#include "core/protocol/file_fields.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/base/json.h"
#include "core/protocol/render_request.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

constexpr std::string_view kModel = "model";

bool isEmptyText(const json& value) {
    return value.is_string() && value.get_ref<const std::string&>().empty();
}

/// Also in lists of lists, as the values of an axis are where a field is a list.
bool holdsEmptyText(const json& list) {
    return list.is_array() && std::ranges::any_of(list, [](const json& value) {
               return isEmptyText(value) || holdsEmptyText(value);
           });
}

bool isOfOption(char letter) {
    return letter == '-' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

/// The key of the field with that option; empty where it is no field's.
std::string keyOf(std::string_view option) {
    if (option == "--model") return std::string(kModel);
    std::string key;
    forEachRenderField([&](const RenderField& field, auto) {
        if (option == optionOf(field)) key = field.key;
    });
    return key;
}

}  // namespace

bool needsText(std::string_view key) {
    if (key == kModel) return true;
    if (key.find("prompt") != std::string_view::npos) return false;
    bool isText = false;
    RenderRequest request;
    forEachRenderField([&](const RenderField& field, auto access) {
        using Value = std::remove_reference_t<decltype(access(request))>;
        if (key == field.key)
            isText = std::is_same_v<Value, std::string> ||
                     std::is_same_v<Value, std::optional<std::string>> ||
                     std::is_same_v<Value, std::vector<std::string>>;
    });
    return isText;
}

Result<void> refuseEmptyText(std::string_view key, const std::string& name, const json& value) {
    if (!needsText(key)) return {};
    const bool isText = isEmptyText(value);
    if (!isText && !holdsEmptyText(value)) return {};
    return Error{ErrorCode::BadUsage, name + " " + showJson(value) + ": " +
                                          (isText ? "some text" : "a list without empty texts") +
                                          " was needed"};
}

Error asBadUsage(const Error& error) {
    return {error.code == ErrorCode::InvalidData ? ErrorCode::BadUsage : error.code, error.message};
}

Error withKeys(const Error& error) {
    const std::string& text = error.message;
    std::string changed;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && isOfOption(text[end])) ++end;
        const std::string_view word = std::string_view(text).substr(at, end - at);
        const std::string key = word.starts_with("--") ? keyOf(word) : std::string();
        changed += key.empty() ? std::string(word) : key;
        if (end < text.size()) changed += text[end++];
        at = end;
    }
    return {error.code, changed};
}

}  // namespace reelgrid::protocol
