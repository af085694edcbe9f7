#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include "kernels/backends/backend_list.h"

namespace reelgrid::attention {

kernels::Strides stridesOf(const at::Tensor& x_BHND);

/// softmax(q kᵀ / √D) v over libtorch's tensors, which must outlive it: same dtype (one of
/// execution::kernelTypeOf()'s) and device, head dim contiguous. On that device; on the CPU with as many
/// threads as libtorch uses.
kernels::AttentionProblem problemOf(const at::Tensor& q_BHND, const at::Tensor& k_BHMD,
                                    const at::Tensor& v_BHMD);

/// Makes `problem` write to `out_BHND`, whose head dim is contiguous and which must outlive it.
void writeTo(kernels::AttentionProblem& problem, const at::Tensor& out_BHND);

/// A tensor for the output, which `problem` writes to from now on: laid out [B, N, H, D], or [N, B, H, D]
/// where the tokens of q lie further apart than its sequences, as those of frames do.
at::Tensor outputOf(kernels::AttentionProblem& problem, const at::Tensor& q_BHND);

/// The scratch memory that the problem's plan needs, to which it points from now on; undefined where it needs
/// none. To be kept until the call is queued: from libtorch's allocator, so that later work of the
/// same stream may have it.
at::Tensor workspaceOf(kernels::AttentionProblem& problem, const kernels::AttentionPlan& plan,
                       const at::Tensor& q_BHND);

/// Whether a backend's kernels say what share of the pairs of blocks they attended to.
bool tellsKeptShare(const kernels::BackendInfo& backend, kernels::Device device);

/// Memory of q's device for that, fp64 [], which the problem is told of.
at::Tensor keptShareOf(kernels::AttentionProblem& problem, const at::Tensor& q_BHND);

}  // namespace reelgrid::attention
