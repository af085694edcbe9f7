#pragma once

#include <string>
#include <vector>

#include "core/protocol/attention_policy.h"

namespace reelgrid::protocol {

/// What a render has for rules to fit: layers, steps, and an unconditional pass only under guidance.
struct PolicyScope {
    int layers = 0;
    int steps = 0;
    double guidanceScale = 1;
    std::vector<ModuleKind> kinds{ModuleKind::Self, ModuleKind::Cross};  ///< that the model's layers have
};

/// For each rule why it decides no call of the render ("earlier rules decide every call that it fits", "this
/// model has no joint attention, only self-attention and cross-attention"); empty for those that decide some.
/// The policy's ranges must be within the scope.
std::vector<std::string> idleReasons(const AttentionPolicy& policy, const PolicyScope& scope);

}  // namespace reelgrid::protocol
