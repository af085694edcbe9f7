#pragma once

// Shape legend: B batch, H query heads, G key heads, N queries, M keys, D head dim.

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "kernels/attention/call_context.h"
#include "kernels/attention/method.h"

namespace reelgrid::operators {

using OptionalTensor = std::optional<at::Tensor>;

/// What a call may have beyond q, k and v.
struct AttentionOptions {
    std::optional<double> scale{};  ///< 1/√D where there is none
    bool isCausal = false;
    OptionalTensor keyBias{};  ///< fp32 [M]
    bool smoothsKeys = true;
    double topk = 1;
    OptionalTensor projWeight{}, projBias{};  ///< fp32 [D, D] and [D]
    kernels::TokenGrid grid{};
    std::vector<kernels::OptionValue>
        ofBackend{};  ///< as --backend-option has them, without the backend's name
    bool wantsLse = false;
};

struct Attended {
    at::Tensor out_BHND, lse_BHN;
};

/// Attention by a method, as kernels/backends/backend_list.cpp describes it; q [B, H, N, D], k and v [B, G,
/// M, D].
Attended attend(kernels::Method method, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                const AttentionOptions& options);

}  // namespace reelgrid::operators
