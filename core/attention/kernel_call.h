#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include <optional>
#include <string>

#include "core/attention/dispatcher.h"
#include "core/execution/execution.h"
#include "kernels/attention/backend_list.h"

namespace reelgrid::attention {

/// One call of a framework-free kernel on libtorch's tensors.
class KernelCall {
  public:
    explicit KernelCall(const Inputs& inputs, const execution::Execution& execution = {});

    /// Why `backend` can't run it (device, dtype, head dim, …); nothing when it can.
    [[nodiscard]] std::optional<std::string> whyNot(const kernels::BackendInfo& backend) const;

    /// o_BHND, laid out [B, N, H, D]. Only after whyNot() had nothing to say.
    [[nodiscard]] at::Tensor run(const kernels::BackendInfo& backend) const;
    /// The same into memory of q's size, laid out [B, N, H, D].
    void runInto(const kernels::BackendInfo& backend, const at::Tensor& out_BHND) const;

  private:
    Inputs m_inputs;
    std::optional<std::string> m_obstacle;
    kernels::AttentionProblem m_problem;
};

}  // namespace reelgrid::attention
