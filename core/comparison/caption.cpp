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

/// The backends that a label names, each by its longest name: "fav3_sage" and "sdpa" of
/// "run fav3_sage-2 (ran sdpa)".
std::vector<std::string> backendsIn(const std::string& label) {
    std::vector<std::string> words{""};
    for (const char c : label) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            words.back() += c;
            continue;
        }
        if (c != '_') words.emplace_back();  // no name reaches beyond an empty word
        words.emplace_back();
    }
    std::vector<std::string> named;
    for (std::size_t first = 0; first < words.size(); ++first) {
        std::string name, longest;
        std::size_t last = first;
        for (std::size_t i = first; i < words.size() && !words[i].empty(); ++i) {
            name += (i > first ? "_" : "") + words[i];
            if (kernels::findBackend(name) == nullptr) continue;
            longest = name;
            last = i;
        }
        if (longest.empty()) continue;
        named.push_back(longest);
        first = last;
    }
    return named;
}

}  // namespace

std::string Caption::text() const {
    return name + (recipe.empty() ? "" : ", " + recipe) + (remark.empty() ? "" : " (" + remark + ")");
}

bool Caption::isContradictedBy(const std::string& label) const {
    if (name.empty() || label == text() || label.starts_with(text() + " (labelled ")) return false;
    std::string rest = label;
    if (const auto told = remark.empty() ? rest.npos : rest.find(remark); told != rest.npos)
        rest.erase(told, remark.size());
    if (rest.find("(ran ") != rest.npos) return true;  // as an earlier render of the file did
    const std::vector<std::string> named = backendsIn(rest);
    return !named.empty() && std::ranges::find(named, backend) == named.end();
}

std::string Caption::labelled(const std::string& label) const {
    if (label.empty() || label == name) return text();
    if (isContradictedBy(label)) return text() + " (labelled " + label + ")";
    const bool isTold = remark.empty() || label.find(remark) != std::string::npos;
    return isTold ? label : label + " (" + remark + ")";
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
