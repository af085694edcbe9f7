#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include <optional>
#include <string>

#include "core/attention/inputs.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::attention {

/// Why libtorch's operator can't run the call; nothing when it can.
std::optional<std::string> whyNot(kernels::LibtorchOperator which, const Inputs& inputs);

struct Attended {
    at::Tensor out_BHND;   ///< laid out [B, N, H, D] as the other backends lay out theirs
    at::Tensor lse_BHN{};  ///< fp32, contiguous; undefined where it wasn't asked for
};

/// libtorch's own attention. Only after whyNot() had nothing to say. For a log-sum-exp sdpa takes the kernel
/// that it would have chosen where that gives one, else the scores are multiplied once more.
Attended attendWithLibtorch(kernels::LibtorchOperator which, const Inputs& inputs,
                            LogSumExp logSumExp = LogSumExp::NotAsked);

}  // namespace reelgrid::attention
