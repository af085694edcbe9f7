#pragma once

#include <memory>
#include <string>

#include "core/attention/dispatcher.h"
#include "core/attention/policy.h"
#include "core/base/result.h"
#include "core/execution/execution.h"

namespace reelgrid::attention {

/// A dispatcher that asks for what `policy` says, on the execution's device. "default" is what the family's
/// reference uses: sdpa. BadUsage naming the valid types when the policy names another one, or when
/// REELGRID_CPU forces instructions that this machine lacks.
Result<std::unique_ptr<Dispatcher>> makeDispatcher(Policy policy, const execution::Execution& execution = {},
                                                   CallSettings settings = {});

/// A dispatcher that sends self-attention to `attentionType` and cross-attention to sdpa.
Result<std::unique_ptr<Dispatcher>> makeDispatcher(const std::string& attentionType);

}  // namespace reelgrid::attention
