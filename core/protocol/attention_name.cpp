#include "core/protocol/attention_name.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/sha256.h"
#include "core/protocol/backend_option.h"

namespace reelgrid::protocol {
namespace {

/// The shortest text that means it.
std::string shortText(double number) {
    std::string text = nlohmann::json(number).dump();
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
}

/// "window-3x3x3", "sta.window-3x3x3" of another backend than the attention type.
std::string nameOf(BackendOptionChoice choice, const std::string& attentionType) {
    std::ranges::replace(choice.value, ',', 'x');
    return (choice.backend == attentionType ? "" : choice.backend + ".") + choice.key + "-" + choice.value;
}

/// Whether names have it as it is. What is set for some layers, or for each of many heads, is in names as
/// four digits that tell such settings apart.
bool isShort(const BackendOptionChoice& choice) {
    constexpr std::size_t kMostBytes = 64;
    return choice.key.find('@') == choice.key.npos && choice.value.size() <= kMostBytes;
}

std::string digitsOf(const std::string& text) {
    return sha256Hex(text).substr(0, 4);
}

template <template <class> class Maybe>
bool asksFor(const RenderFields<Maybe>& fields, const std::string& backend) {
    return fields.attentionType == backend ||
           std::ranges::any_of(fields.attentionPolicy.rules,
                               [&](const AttentionRule& rule) { return rule.backend == backend; });
}

}  // namespace

bool isSparse(const std::string& backend) {
    constexpr std::array<std::string_view, 2> kSparse{"sla", "sagesla"};
    return std::ranges::find(kSparse, backend) != kSparse.end();
}

template <template <class> class Maybe>
bool asksForSparse(const RenderFields<Maybe>& fields) {
    return isSparse(fields.attentionType) ||
           std::ranges::any_of(fields.attentionPolicy.rules,
                               [](const AttentionRule& rule) { return isSparse(rule.backend); });
}

std::string linearName(const std::string& linear) {
    return linear == kLinearInt8 || linear == kLinearFp8 ? linear : std::string();
}

template <template <class> class Maybe>
std::string attentionName(const RenderFields<Maybe>& fields) {
    std::string name = attentionName(fields.attentionType, fields.attentionPolicy);
    if (fields.slaTopk != kSlaTopk && asksForSparse(fields)) name += "+topk-" + shortText(fields.slaTopk);
    std::string unnamed;
    for (const BackendOptionChoice& choice : choicesIn(fields.backendOption)) {
        if (!asksFor(fields, choice.backend)) continue;
        if (isShort(choice))
            name += "+" + nameOf(choice, fields.attentionType);
        else
            unnamed += choice.backend + "." + choice.key + "=" + choice.value + "\n";
    }
    if (!unnamed.empty()) name += "+options-" + digitsOf(unnamed);
    if (const std::string linear = linearName(fields.useFp8Gemms ? kLinearFp8 : fields.linear);
        !linear.empty())
        name += "+" + linear;
    if (const std::string cache = stepCacheName(fields.stepCache); !cache.empty()) name += "+" + cache;
    return name;
}

template std::string attentionName(const RenderFields<std::optional>&);
template std::string attentionName(const RenderFields<Given>&);
template bool asksForSparse(const RenderFields<std::optional>&);
template bool asksForSparse(const RenderFields<Given>&);

}  // namespace reelgrid::protocol
