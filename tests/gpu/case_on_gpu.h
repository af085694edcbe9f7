#pragma once

#include "core/execution/execution.h"
#include "kernels/backends/backend_list.h"
#include "tests/kernels/attention/attention_case.h"

namespace reelgrid {

/// Runs a case of the kernels' tests on the GPU: all that its problem points to goes there, the output (NaNs
/// before the call), the log-sum-exp and the kept share come back. The output, float64 [B, Hq, Nq, D].
std::vector<double> runOnGpu(const kernels::BackendInfo& backend, kernels::test::AttentionCase& c,
                             const execution::Execution& gpu);

}  // namespace reelgrid
