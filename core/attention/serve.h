#pragma once

// Shape legend: B batch, H heads, N query tokens, D head dim.

#include <ATen/ATen.h>

#include <optional>
#include <string>

#include "core/attention/inputs.h"
#include "core/execution/execution.h"
#include "core/protocol/attention_call.h"
#include "kernels/attention/problem.h"

namespace reelgrid::attention {

class PluginGuard;

/// A call's answer.
struct Served {
    at::Tensor
        out_BHND{};        ///< its transpose(1, 2) is contiguous, or that of outputOf() (attention_problem.h)
    at::Tensor lse_BHN{};  ///< fp32, contiguous; undefined where it wasn't asked for
    std::string used{};    ///< the backend that computed it
    std::string why{};     ///< why another one than was asked for, or what it left out; empty: nothing to say
    std::optional<double> seconds{};  ///< wall time; absent where a device only queued the call
    /// Of a sparse one that tells it the share of the pairs of blocks that it attended to: fp64 [] on the
    /// device, where it is there when the call is through.
    at::Tensor kept{};
};

struct CallOptions {
    LogSumExp logSumExp = LogSumExp::NotAsked;
    protocol::ModuleKind kind = protocol::ModuleKind::Self;  ///< which a trace names
    double slaTopk = kernels::SparseLinear{}.topkRatio;      ///< of sparse-linear backends
    kernels::CallContext context{};                          ///< all but its grid, which the inputs have
};

/// softmax(q kᵀ / √D + keyBias) v by `backend`, which must be known, or by sdpa where that can't: then `why`
/// says so. One that gives no log-sum-exp can't run a call that asks for it; sdpa always gives one. `guard`
/// watches plug-ins over the calls of a render.
Served serve(const std::string& backend, const Inputs& inputs, const execution::Execution& execution,
             const CallOptions& options, PluginGuard& guard);

/// One call by itself: a plug-in's is watched as its first one.
Served serve(const std::string& backend, const Inputs& inputs, const execution::Execution& execution = {},
             const CallOptions& options = {});

}  // namespace reelgrid::attention
