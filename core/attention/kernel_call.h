#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include <optional>
#include <string>

#include "kernels/attention/backend_list.h"

namespace reelgrid::attention {

/// One call of a framework-free kernel on libtorch's tensors: q_BHND, k_BHMD, v_BHMD with D contiguous.
class KernelCall {
  public:
    KernelCall(const at::Tensor& q_BHND, const at::Tensor& k_BHMD, const at::Tensor& v_BHMD);

    /// Why `backend` can't run it (device, dtype, head dim, …); nothing when it can.
    [[nodiscard]] std::optional<std::string> whyNot(const kernels::BackendInfo& backend) const;

    /// o_BHND, laid out [B, N, H, D]. Only after whyNot() had nothing to say.
    [[nodiscard]] at::Tensor run(const kernels::BackendInfo& backend) const;

  private:
    at::Tensor m_q, m_k, m_v;
    std::optional<std::string> m_obstacle;
    kernels::AttentionProblem m_problem;
};

}  // namespace reelgrid::attention
