#include "core/comparison/caption.h"

#include <algorithm>
#include <cctype>

#include "core/protocol/attention_name.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::comparison {
namespace {

std::string remarkOf(const std::vector<protocol::CallRecord>& attention) {
    result::Manifest ran;
    ran.attention = attention;
    std::string remark;
    for (const protocol::ModuleKindInfo& info : protocol::kModuleKinds) {
        const bool replaced = std::ranges::any_of(attention, [&](const protocol::CallRecord& call) {
            return call.kind == info.kind && call.used != call.requested;
        });
        if (!replaced) continue;
        if (!remark.empty()) remark += "; ";
        if (info.kind != protocol::ModuleKind::Self) remark += std::string(info.phrase) + " ";
        remark += "ran " + ran.usedAttention(info.kind);
    }
    return remark;
}

/// "fav2", "ran" and "sdpa" of "fav2 (ran sdpa)".
std::vector<std::string> wordsOf(const std::string& label) {
    std::vector<std::string> words{""};
    for (const char c : label)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
            words.back() += c;
        else
            words.emplace_back();
    return words;
}

}  // namespace

std::string Caption::text() const {
    return name + (recipe.empty() ? "" : ", " + recipe) + (remark.empty() ? "" : " (" + remark + ")");
}

bool Caption::isContradictedBy(const std::string& label) const {
    if (name.empty() || label == text()) return false;
    const std::vector<std::string> words = wordsOf(label);
    return std::ranges::find(words, backend) == words.end() &&
           std::ranges::any_of(words,
                               [](const std::string& word) { return kernels::findBackend(word) != nullptr; });
}

std::string Caption::labelled(const std::string& label) const {
    if (label.empty() || label == name) return text();
    return isContradictedBy(label) ? text() + " (labelled " + label + ")" : label;
}

template <template <class> class Maybe>
Caption captionOf(const protocol::RenderFields<Maybe>& fields,
                  const std::vector<protocol::CallRecord>& attention) {
    return {protocol::attentionName(fields), fields.attentionType, remarkOf(attention),
            fields.recipe.value_or("")};
}
template Caption captionOf(const protocol::RenderFields<std::optional>&,
                           const std::vector<protocol::CallRecord>&);
template Caption captionOf(const protocol::RenderFields<protocol::Given>&,
                           const std::vector<protocol::CallRecord>&);

Caption captionOf(const result::Manifest& manifest) {
    if (!manifest.engine.empty())
        return {manifest.engine, manifest.engine.substr(0, manifest.engine.find(' ')), ""};
    if (!manifest.request) return {};
    return captionOf(*manifest.request, manifest.attention);
}

}  // namespace reelgrid::comparison
