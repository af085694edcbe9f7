#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/families/model_info.h"
#include "core/machine/machine.h"
#include "core/protocol/attention_policy.h"

namespace reelgrid::catalog {

struct RenderSettings;

/// BadUsage naming rule, field, value and what was needed when a rule asks for a backend that the machine
/// lacks, for a layer that the model lacks, or for a step beyond `steps`.
Result<void> checkPolicy(const protocol::AttentionPolicy& policy, const families::ModelInfo& model, int steps,
                         const machine::Machine& machine);

/// BadUsage naming the backend, key or value of an option that the machine's backends don't have so, or a
/// layer that the model lacks.
Result<void> checkBackendOptions(const std::vector<std::string>& texts, const families::ModelInfo& model,
                                 const machine::Machine& machine);

/// BadUsage when the render can't measure other backends in lockstep: one is unknown, named twice or the
/// reference, the clip is not the reference's own, or its passes are recorded as CUDA graphs.
Result<void> checkLockstep(const RenderSettings& settings, const machine::Machine& machine);

/// For each rule of the policy why it decides no call of this render of `model`; empty for those that decide
/// some.
std::vector<std::string> idleRules(const RenderSettings& settings, const families::ModelInfo& model);

}  // namespace reelgrid::catalog
