#include "core/attention/policy.h"

#include <utility>

namespace reelgrid::attention {
namespace {

bool covers(protocol::RuleModule module, ModuleKind kind) {
    if (module == protocol::RuleModule::All) return true;
    return (module == protocol::RuleModule::Self) == (kind == ModuleKind::SelfAttention);
}

bool covers(protocol::RuleBranch branch, GuidanceBranch current) {
    return (branch == protocol::RuleBranch::Conditional) == (current == GuidanceBranch::Conditional);
}

bool covers(const protocol::AttentionRule& rule, const CallSite& site, const Pass& pass) {
    return covers(rule.module, site.kind) && (!rule.layers || rule.layers->contains(site.layer)) &&
           (!rule.steps || rule.steps->contains(pass.step)) &&
           (!rule.branch || covers(*rule.branch, pass.branch));
}

}  // namespace

Policy::Policy(std::string attentionType) : m_attentionType(std::move(attentionType)) {}

Result<Policy> Policy::create(std::string attentionType, const protocol::AttentionPolicy& rules,
                              const PolicyExtent& extent) {
    auto counted = protocol::resolved(rules, extent.layers, extent.steps);
    if (!counted) return counted.error();
    Policy policy(std::move(attentionType));
    policy.m_rules = *std::move(counted);
    return policy;
}

const std::string& Policy::backendFor(const CallSite& site, const Pass& pass) const {
    for (const protocol::AttentionRule& rule : m_rules.rules)
        if (covers(rule, site, pass)) return rule.backend;
    static const std::string kSdpa = "sdpa";
    return site.kind == ModuleKind::SelfAttention ? m_attentionType : kSdpa;
}

std::vector<std::string> Policy::backends() const {
    std::vector<std::string> names{m_attentionType};
    for (const protocol::AttentionRule& rule : m_rules.rules) names.push_back(rule.backend);
    return names;
}

}  // namespace reelgrid::attention
