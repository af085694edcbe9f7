#include "core/protocol/attention_policy.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/sha256.h"
#include "core/protocol/attention_policy_json.h"
#include "core/protocol/index_ranges.h"

namespace reelgrid::protocol {
namespace {

Result<void> resolve(std::optional<IndexRange>& range, const std::string& noun, int count) {
    if (!range) return {};
    const auto found = countedFromStart(*range, noun, count);
    if (!found) return found.error();
    range = *found;
    return {};
}

/// Four hex digits that tell one set of rules from another.
std::string tagOf(const AttentionPolicy& policy) {
    const std::string rules = toJson(policy).dump();
    return sha256Hex(rules).substr(0, 4);
}

/// "first 2 steps", "last layer", "steps 3 to 5".
std::string words(const IndexRange& range, const std::string& noun) {
    const auto counted = [&](const char* which, int count) {
        const std::string number = count == 1 ? std::string() : std::to_string(count) + " ";
        return std::string(which) + " " + number + noun + (count == 1 ? "" : "s");
    };
    if (range.first == 0 && range.last == -1) return "every " + noun;
    if (range.last == -1 && range.first < 0) return counted("last", -range.first);
    if (range.first == 0 && range.last >= 0) return counted("first", range.last + 1);
    if (range.first == range.last) return noun + " " + std::to_string(range.first);
    return noun + "s " + std::to_string(range.first) + " to " +
           (range.last == -1 ? "the last" : std::to_string(range.last));
}

}  // namespace

Result<AttentionPolicy> resolved(const AttentionPolicy& policy, int layers, int steps) {
    AttentionPolicy found = policy;
    for (std::size_t i = 0; i < found.rules.size(); ++i) {
        const std::string rule = "rule " + std::to_string(i + 1);
        if (auto done = resolve(found.rules[i].layers, "layer", layers); !done) return done.error().in(rule);
        if (auto done = resolve(found.rules[i].steps, "step", steps); !done) return done.error().in(rule);
    }
    return found;
}

bool covers(const std::optional<ModuleKind>& selected, ModuleKind kind) {
    return !selected || *selected == kind || (*selected == ModuleKind::Self && kind == ModuleKind::Joint);
}

bool fits(const AttentionRule& rule, const CallSite& site, const Pass& pass) {
    return covers(rule.module, site.kind) && (!rule.layers || rule.layers->contains(site.layer)) &&
           (!rule.steps || rule.steps->contains(pass.step)) && (!rule.branch || *rule.branch == pass.branch);
}

std::string attentionName(const std::string& attentionType, const AttentionPolicy& policy) {
    const bool alters = std::ranges::any_of(policy.rules, [&](const AttentionRule& rule) {
        return std::ranges::any_of(kModuleKinds, [&](const ModuleKindInfo& info) {
            const std::string& otherwise = info.followsAttentionType ? attentionType : kReferenceBackend;
            return covers(rule.module, info.kind) && rule.backend != otherwise;
        });
    });
    return alters ? attentionType + "+policy-" + tagOf(policy) : attentionType;
}

std::string describe(const AttentionRule& rule) {
    std::string text =
        rule.backend + " in " + (rule.module ? infoOf(*rule.module).phrase : "every kind of attention");
    if (rule.layers) text += ", " + words(*rule.layers, "layer");
    if (rule.steps) text += ", " + words(*rule.steps, "step");
    if (rule.branch) text += std::string(", ") + nameOf(*rule.branch) + " pass";
    return text;
}

const char* nameOf(const std::optional<ModuleKind>& module) {
    return module ? nameOf(*module) : "all";
}

}  // namespace reelgrid::protocol
