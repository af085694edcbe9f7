#include "core/comparison/caption.h"

#include <algorithm>

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

}  // namespace

std::string Caption::text() const {
    return remark.empty() ? name : name + " (" + remark + ")";
}

Caption captionOf(const std::string& attentionType, const protocol::AttentionPolicy& policy,
                  const std::vector<protocol::CallRecord>& attention) {
    return {protocol::attentionName(attentionType, policy), attentionType, remarkOf(attention)};
}

Caption captionOf(const result::Manifest& manifest) {
    if (!manifest.request) return {};
    return captionOf(manifest.request->attentionType, manifest.request->attentionPolicy, manifest.attention);
}

}  // namespace reelgrid::comparison
