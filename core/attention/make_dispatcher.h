#pragma once

#include <memory>
#include <string>

#include "core/attention/dispatcher.h"
#include "core/base/result.h"

namespace reelgrid::attention {

/// Which backend is asked for, by kind of module.
struct AttentionPolicy {
    std::string selfAttention = "sdpa";
    /// Quantised and sparse backends are made for long self-attention; cross-attention takes part only when
    /// asked.
    std::string crossAttention = "sdpa";
};

/// A dispatcher that sends self-attention to `attentionType` and cross-attention to sdpa. "default" is what
/// the family's reference uses: sdpa. BadUsage naming the valid types for any other name, or when
/// REELGRID_CPU forces instructions that this machine lacks.
Result<std::unique_ptr<Dispatcher>> makeDispatcher(const std::string& attentionType);
Result<std::unique_ptr<Dispatcher>> makeDispatcher(const AttentionPolicy& policy);

/// What --attention-type takes, separated by ", ".
std::string attentionTypes();

}  // namespace reelgrid::attention
