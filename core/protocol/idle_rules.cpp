#include "core/protocol/idle_rules.h"

#include <algorithm>

#include "core/base/joined.h"

namespace reelgrid::protocol {
namespace {

/// Whether a rule is for a kind of attention that the model's layers lack.
bool isForAnotherKind(const AttentionRule& rule, const std::vector<ModuleKind>& kinds) {
    return rule.module &&
           std::ranges::none_of(kinds, [&](ModuleKind kind) { return covers(rule.module, kind); });
}

std::string lackOf(ModuleKind kind, const std::vector<ModuleKind>& kinds) {
    std::vector<std::string> phrases;
    for (const ModuleKind each : kinds) phrases.emplace_back(infoOf(each).phrase);
    return std::string("this model has no ") + infoOf(kind).phrase +
           (phrases.empty() ? "" : ", only " + joined(phrases, " and "));
}

}  // namespace

std::vector<std::string> idleReasons(const AttentionPolicy& policy, const PolicyScope& scope) {
    const bool guided = scope.guidanceScale > 1;
    std::vector<std::string> reasons(policy.rules.size(), "earlier rules decide every call that it fits");
    for (std::size_t i = 0; i < reasons.size(); ++i)
        if (isForAnotherKind(policy.rules[i], scope.kinds))
            reasons[i] = lackOf(*policy.rules[i].module, scope.kinds);
        else if (!guided && policy.rules[i].branch == GuidanceBranch::Unconditional)
            reasons[i] = "without guidance there is no unconditional pass";

    const auto counted = resolved(policy, scope.layers, scope.steps);
    if (!counted) return std::vector<std::string>(policy.rules.size());
    const std::vector<AttentionRule>& rules = counted->rules;
    const auto decides = [&](const CallSite& site, const Pass& pass) {
        const auto first =
            std::ranges::find_if(rules, [&](const auto& rule) { return fits(rule, site, pass); });
        if (first != rules.end()) reasons[std::size_t(first - rules.begin())].clear();
    };
    for (const ModuleKind kind : scope.kinds)
        for (int layer = 0; layer < scope.layers; ++layer)
            for (int step = 0; step < scope.steps; ++step) {
                decides({kind, layer}, {step, GuidanceBranch::Conditional});
                if (guided) decides({kind, layer}, {step, GuidanceBranch::Unconditional});
            }
    return reasons;
}

}  // namespace reelgrid::protocol
