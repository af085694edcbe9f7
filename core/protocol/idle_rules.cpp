#include "core/protocol/idle_rules.h"

#include <algorithm>

namespace reelgrid::protocol {
namespace {

struct Call {
    RuleModule module;
    int layer;
    int step;
    RuleBranch branch;
};

bool fits(const AttentionRule& rule, const Call& call) {
    return (rule.module == RuleModule::All || rule.module == call.module) &&
           (!rule.layers || rule.layers->contains(call.layer)) &&
           (!rule.steps || rule.steps->contains(call.step)) && (!rule.branch || *rule.branch == call.branch);
}

}  // namespace

std::vector<std::string> idleReasons(const AttentionPolicy& policy, const PolicyScope& scope) {
    const bool guided = scope.guidanceScale > 1;
    std::vector<std::string> reasons(policy.rules.size(), "earlier rules decide every call that it fits");
    for (std::size_t i = 0; i < reasons.size(); ++i)
        if (!guided && policy.rules[i].branch == RuleBranch::Unconditional)
            reasons[i] = "without guidance there is no unconditional pass";

    const auto counted = resolved(policy, scope.layers, scope.steps);
    if (!counted) return std::vector<std::string>(policy.rules.size());
    const std::vector<AttentionRule>& rules = counted->rules;
    const auto decides = [&](const Call& call) {
        const auto first = std::ranges::find_if(rules, [&](const auto& rule) { return fits(rule, call); });
        if (first != rules.end()) reasons[std::size_t(first - rules.begin())].clear();
    };
    for (const RuleModule module : {RuleModule::Self, RuleModule::Cross})
        for (int layer = 0; layer < scope.layers; ++layer)
            for (int step = 0; step < scope.steps; ++step) {
                decides({module, layer, step, RuleBranch::Conditional});
                if (guided) decides({module, layer, step, RuleBranch::Unconditional});
            }
    return reasons;
}

}  // namespace reelgrid::protocol
