#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <string>
#include <vector>

#include "core/attention/dispatcher.h"
#include "core/execution/execution.h"

namespace reelgrid::lockstep {

/// One attention call as one backend made it.
struct OneCall {
    at::Tensor out_BHND;
    std::optional<double> seconds;      ///< absent where a device queues the call
    std::optional<std::string> whyNot;  ///< why another backend ran
};

OneCall callWith(const std::string& backend, const attention::Inputs& inputs, const attention::CallSite& site,
                 const execution::Execution& execution);

/// Why a backend did not run in calls that --attention-type covers; nothing when it ran in all of them.
std::optional<std::string> substitutionIn(const std::vector<attention::CallRecord>& records);

}  // namespace reelgrid::lockstep
