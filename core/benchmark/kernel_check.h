#pragma once

#include <optional>
#include <string>

#include "core/benchmark/check_cases.h"
#include "core/execution/execution.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::benchmark {

/// What a kernel made of a case. Errors are against float64 on the same rounded inputs.
struct CheckOutcome {
    std::string whyNot;   ///< why it wasn't run; then the rest is empty
    std::string failure;  ///< what is wrong with it, with value and limit; empty: the case holds
    double maxError = 0;  ///< largest |out − truth|
    double l1 = 0;        ///< Σ|out − truth| / Σ|truth|
    double sdpaMaxError = 0;
    double sdpaL1 = 0;
};

/// How far from the truth a kernel may be: exact ones twice as far as sdpa in the same type (FlashAttention's
/// own criterion) and its roundings more, in fp32 those of the scores' sums in any order; approximations have
/// a limit for the relative L1 error.
struct Claim {
    double l1 = 0;  ///< 0: exact
};

/// Runs a case in memory that shows writes outside the output and to the inputs. A plug-in may end the
/// process. Throws Failure and libtorch's exceptions.
CheckOutcome checkKernel(const kernels::BackendInfo& backend, const CheckCase& wanted, const Claim& claim,
                         const execution::Execution& execution);

}  // namespace reelgrid::benchmark
