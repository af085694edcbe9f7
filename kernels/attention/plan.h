#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kernels/attention/problem.h"

namespace reelgrid::kernels {

/// How a device's kernels would run a problem, settled before memory is taken and work is queued. The
/// addresses of the output, of the log-sum-exp and of the workspace may be filled in afterwards.
struct AttentionPlan {
    std::string obstacle{};  ///< what keeps them from it, with the value and the need; empty: nothing
    std::int64_t workspaceBytes = 0;  ///< of AttentionProblem::workspace
    /// Runs the problem that was planned. On the CPU it returns when the output is there; on a GPU the call
    /// is queued on the problem's stream.
    std::function<void(const AttentionProblem&)> attend{};
};

}  // namespace reelgrid::kernels
