#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include <optional>
#include <string>

#include "core/attention/inputs.h"
#include "core/attention/serve.h"
#include "core/execution/execution.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::attention {

/// One call of a framework-free kernel on libtorch's tensors, planned before anything runs.
class KernelCall {
  public:
    explicit KernelCall(const kernels::BackendInfo& backend, const Inputs& inputs,
                        const execution::Execution& execution = {}, const CallOptions& options = {});

    /// Why the backend can't run it (device, dtype, head dim, …); nothing when it can.
    [[nodiscard]] const std::optional<std::string>& whyNot() const { return m_obstacle; }

    /// o_BHND, laid out as outputOf() says. Only when whyNot() has nothing to say.
    [[nodiscard]] at::Tensor run() const;
    /// The same into memory of q's size, laid out [B, N, H, D], with scratch memory of workspaceBytes().
    void runInto(const at::Tensor& out_BHND, const at::Tensor& workspace) const;
    [[nodiscard]] std::int64_t workspaceBytes() const { return m_plan.workspaceBytes; }
    /// After run(): of a sparse method that tells it the share of the pairs of blocks that it kept, fp64 []
    /// on the device; else undefined.
    [[nodiscard]] const at::Tensor& kept() const { return m_kept; }
    /// What run() writes, where it was asked for: fp32, contiguous.
    [[nodiscard]] const at::Tensor& lse_BHN() const { return m_lse_BHN; }

  private:
    void runPlanned(kernels::AttentionProblem& problem, const at::Tensor& workspace) const;

    bool m_tellsKept = false;
    mutable at::Tensor m_kept;
    Inputs m_inputs;
    at::Tensor m_lse_BHN;
    std::optional<std::string> m_obstacle;
    kernels::AttentionProblem m_problem;
    kernels::AttentionPlan m_plan;
};

}  // namespace reelgrid::attention
