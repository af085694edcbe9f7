#pragma once

#include <string>

#include "core/attention/dispatcher.h"
#include "core/protocol/attention_policy.h"

namespace reelgrid::attention {

/// How many layers the model has and how many steps the render takes: what ranges may name, and where they
/// end.
struct PolicyExtent {
    int layers = 0;
    int steps = 0;
};

/// One forward pass of the denoise loop, its step counted from 0 in the order of denoising.
struct Pass {
    int step = 0;
    GuidanceBranch branch = GuidanceBranch::Conditional;
};

/// Which backend a call asks for: a rule set with its ranges counted out, and what stands behind it.
class Policy {
  public:
    /// Self-attention asks for `attentionType`, cross-attention for sdpa.
    explicit Policy(std::string attentionType);

    /// The first of `rules` that fits decides, else the attention type. BadUsage naming rule, field and value
    /// when a range is not within `extent`.
    static Result<Policy> create(std::string attentionType, const protocol::AttentionPolicy& rules,
                                 const PolicyExtent& extent);

    [[nodiscard]] const std::string& backendFor(const CallSite& site, const Pass& pass) const;

    /// Every backend that some call may ask for.
    [[nodiscard]] std::vector<std::string> backends() const;

  private:
    std::string m_attentionType;
    protocol::AttentionPolicy m_rules;
};

}  // namespace reelgrid::attention
