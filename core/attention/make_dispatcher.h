#pragma once

#include <memory>
#include <string>

#include "core/attention/dispatcher.h"
#include "core/base/result.h"

namespace reelgrid::attention {

/// A dispatcher that sends self-attention to `attentionType` and cross-attention to sdpa. "default" is what
/// the family's reference uses: sdpa. BadUsage naming the valid types for any other name.
Result<std::unique_ptr<Dispatcher>> makeDispatcher(const std::string& attentionType);

/// What --attention-type takes, separated by ", ".
std::string attentionTypes();

}  // namespace reelgrid::attention
