#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/attention_call.h"

namespace reelgrid::protocol {

/// Layers or denoising steps from `first` to `last`, both of them in it, counted from 0. A negative number
/// counts from the end: -1 is the last.
struct IndexRange {
    int first = 0;
    int last = -1;

    [[nodiscard]] bool contains(int index) const { return first <= index && index <= last; }
    bool operator==(const IndexRange&) const = default;
};

/// Asks for a backend in the calls that fit every selector it has.
struct AttentionRule {
    std::string backend;  ///< as --attention-type takes it, "default" included
    /// The kind of attention; Self covers joint attention too, where video tokens attend to each other.
    /// Absent: every kind ("all").
    std::optional<ModuleKind> module = ModuleKind::Self;
    std::optional<IndexRange> layers = std::nullopt;
    std::optional<IndexRange> steps = std::nullopt;
    std::optional<GuidanceBranch> branch = std::nullopt;

    bool operator==(const AttentionRule&) const = default;
};

/// Whether a rule decides a call, unless one before it does. Its ranges must be counted from the start
/// (resolved()).
bool fits(const AttentionRule& rule, const CallSite& site, const Pass& pass);
bool covers(const std::optional<ModuleKind>& selected, ModuleKind kind);

/// Which backend each attention call asks for: the first rule that fits decides. What no rule covers goes to
/// the request's attention type in self- and joint attention and to sdpa elsewhere.
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

/// How the JSON spells a rule's module: a kind's name, or "all".
const char* nameOf(const std::optional<ModuleKind>& module);

}  // namespace reelgrid::protocol
