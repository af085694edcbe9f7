#pragma once

#include <string>
#include <vector>

#include "core/protocol/attention_policy.h"

namespace reelgrid::attention {

/// How many layers the model has and how many steps the render takes: what ranges may name, and where they
/// end.
struct PolicyExtent {
    int layers = 0;
    int steps = 0;
};

/// What every call of a forward pass asks for, as runs of layers with one backend: equal for two passes of a
/// model in which each call asks for the same.
struct PassChoices {
    struct Run {
        protocol::ModuleKind kind;
        int firstLayer;
        std::string backend;
        bool operator==(const Run&) const = default;
    };
    std::vector<Run> runs;
    bool operator==(const PassChoices&) const = default;
};

/// Which backend a call asks for: a rule set with its ranges counted out, and what stands behind it.
class Policy {
  public:
    /// What follows the attention type (protocol::kModuleKinds) asks for it, the rest for sdpa.
    explicit Policy(std::string attentionType);

    /// The first of `rules` that fits decides, else the attention type. BadUsage naming rule, field and value
    /// when a range is not within `extent`.
    static Result<Policy> create(std::string attentionType, const protocol::AttentionPolicy& rules,
                                 const PolicyExtent& extent);

    [[nodiscard]] const std::string& backendFor(const protocol::CallSite& site,
                                                const protocol::Pass& pass) const;

    [[nodiscard]] PassChoices choicesOf(const protocol::Pass& pass) const;

    /// How many the render takes; 0: nobody said.
    [[nodiscard]] int steps() const { return m_steps; }

    /// Every backend that some call may ask for.
    [[nodiscard]] std::vector<std::string> backends() const;

  private:
    std::string m_attentionType;
    protocol::AttentionPolicy m_rules;
    int m_layers = 1;  ///< that rules tell apart
    int m_steps = 0;
};

}  // namespace reelgrid::attention
