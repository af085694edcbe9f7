#include "core/attention/policy.h"

#include <utility>

namespace reelgrid::attention {
Policy::Policy(std::string attentionType) : m_attentionType(std::move(attentionType)) {}

Result<Policy> Policy::create(std::string attentionType, const protocol::AttentionPolicy& rules,
                              const PolicyExtent& extent) {
    auto counted = protocol::resolved(rules, extent.layers, extent.steps);
    if (!counted) return counted.error();
    Policy policy(std::move(attentionType));
    policy.m_rules = *std::move(counted);
    return policy;
}

const std::string& Policy::backendFor(const protocol::CallSite& site, const protocol::Pass& pass) const {
    for (const protocol::AttentionRule& rule : m_rules.rules)
        if (fits(rule, site, pass)) return rule.backend;
    return infoOf(site.kind).followsAttentionType ? m_attentionType : protocol::kReferenceBackend;
}

std::vector<std::string> Policy::backends() const {
    std::vector<std::string> names{m_attentionType};
    for (const protocol::AttentionRule& rule : m_rules.rules) names.push_back(rule.backend);
    return names;
}

}  // namespace reelgrid::attention
