#pragma once

#include <string>
#include <vector>

#include "core/protocol/attention_policy.h"
#include "core/tune/site_costs.h"

namespace reelgrid::tune {

/// The most blocks whose assignment always fits into a policy's rules.
inline constexpr int kMostBlocks = 240;

/// The assignment as rules: rectangles of layers and steps for what differs from the most frequent backend,
/// and that one for the rest. They say every self-attention call, so that --attention-type doesn't matter.
protocol::AttentionPolicy policyOf(const Assignment& assignment, int layers, int steps,
                                   const std::vector<std::string>& backends);

}  // namespace reelgrid::tune
