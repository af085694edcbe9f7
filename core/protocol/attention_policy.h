#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::protocol {

/// Layers or denoising steps from `first` to `last`, both of them in it, counted from 0. A negative number
/// counts from the end: -1 is the last.
struct IndexRange {
    int first = 0;
    int last = -1;

    [[nodiscard]] bool contains(int index) const { return first <= index && index <= last; }
    bool operator==(const IndexRange&) const = default;
};

/// Self is what a rule covers when it doesn't say: quantised and sparse backends are made for long
/// self-attention, and take part in cross-attention only when asked.
enum class RuleModule { Self, Cross, All };
enum class RuleBranch { Conditional, Unconditional };

/// Asks for a backend in the calls that fit every selector it has.
struct AttentionRule {
    std::string backend;  ///< as --attention-type takes it, "default" included
    RuleModule module = RuleModule::Self;
    std::optional<IndexRange> layers = std::nullopt;
    std::optional<IndexRange> steps = std::nullopt;
    std::optional<RuleBranch> branch = std::nullopt;

    bool operator==(const AttentionRule&) const = default;
};

/// Which backend each attention call asks for: the first rule that fits decides. What no rule covers goes to
/// the request's attention type in self-attention and to sdpa in cross-attention.
struct AttentionPolicy {
    std::vector<AttentionRule> rules;

    [[nodiscard]] bool empty() const { return rules.empty(); }
    bool operator==(const AttentionPolicy&) const = default;
};

/// The policy with every range counted from the start, for a model of `layers` layers and a render of `steps`
/// steps. BadUsage naming rule, field and value when a range is not within them or runs backwards.
Result<AttentionPolicy> resolved(const AttentionPolicy& policy, int layers, int steps);

/// What to call a clip that was made with `attentionType` under `policy`: "fav2", or "fav2+policy-3f2a" when
/// a rule asks for anything but what fav2 alone would have run; the digits differ from policy to policy, so
/// that neither files nor labels of two policies are mistaken for each other.
std::string attentionName(const std::string& attentionType, const AttentionPolicy& policy);

/// A rule for people to read: "sdpa in self-attention, first 2 steps, layers 4 to 7".
std::string describe(const AttentionRule& rule);

/// The rule's selector values as the JSON spells them.
const char* nameOf(RuleModule module);
const char* nameOf(RuleBranch branch);

}  // namespace reelgrid::protocol
