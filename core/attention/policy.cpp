#include "core/attention/policy.h"

#include <algorithm>
#include <utility>

namespace reelgrid::attention {

Policy::Policy(std::string attentionType) : m_attentionType(std::move(attentionType)) {}

Result<Policy> Policy::create(std::string attentionType, const protocol::AttentionPolicy& rules,
                              const PolicyExtent& extent) {
    auto counted = protocol::resolved(rules, extent.layers, extent.steps);
    if (!counted) return counted.error();
    Policy policy(std::move(attentionType));
    policy.m_rules = *std::move(counted);
    policy.m_layers = std::max(1, extent.layers);
    policy.m_steps = extent.steps;
    return policy;
}

const std::string& Policy::backendFor(const protocol::CallSite& site, const protocol::Pass& pass) const {
    for (const protocol::AttentionRule& rule : m_rules.rules)
        if (fits(rule, site, pass)) return rule.backend;
    return infoOf(site.kind).followsAttentionType ? m_attentionType : protocol::kReferenceBackend;
}

PassChoices Policy::choicesOf(const protocol::Pass& pass) const {
    PassChoices choices;
    for (const protocol::ModuleKindInfo& info : protocol::kModuleKinds)
        for (int layer = 0; layer < m_layers; ++layer) {
            const std::string& backend = backendFor({info.kind, layer}, pass);
            if (layer == 0 || choices.runs.back().backend != backend)
                choices.runs.push_back({info.kind, layer, backend});
        }
    return choices;
}

std::vector<std::string> Policy::backends() const {
    std::vector<std::string> names{m_attentionType};
    for (const protocol::AttentionRule& rule : m_rules.rules) names.push_back(rule.backend);
    return names;
}

}  // namespace reelgrid::attention
