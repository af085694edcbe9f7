#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "kernels/attention/call_context.h"

namespace reelgrid::attention {

using kernels::TokenGrid;

/// One call's tensors, of one dtype, any strides with D contiguous (so a [B,N,H,D] tensor may be passed
/// transposed).
struct Inputs {
    at::Tensor q_BHND, k_BHMD, v_BHMD;
    /// Optional fp32 [M], added to every score of a key: log(n) makes one key stand for n equal ones.
    at::Tensor keyBias_M;
    /// Optional proj_l of a layer that was trained for sla, fp32 [D, D] and [D] as torch.nn.Linear has them.
    /// Other backends ignore it.
    at::Tensor projL_DD{}, projLBias_D{};
    /// Of keys and values that are a part of a longer sequence: its K's mean and largest |V|, fp32 [B, H, D],
    /// contiguous (kernels::SequenceStatistics). Undefined: those of the call.
    at::Tensor keyMean_BHD{}, valueMaxima_BHD{};
    /// Where the tokens lie, as kernels::CallContext has it.
    TokenGrid grid{};
};

/// Whether a call is to give ln Σ exp(q kᵀ / √D + keyBias) of each query too, with which attention over parts
/// of the keys is merged (kernels/attention/merge_partials.h).
enum class LogSumExp { NotAsked, Asked };

/// Sizes and dtype of a call, which are there when its tensors aren't.
struct CallShape {
    std::vector<std::int64_t> q, k, v;
    at::ScalarType dtype = at::kFloat;

    bool operator==(const CallShape&) const = default;
};
inline CallShape shapeOf(const Inputs& in) {
    return {in.q_BHND.sizes().vec(), in.k_BHMD.sizes().vec(), in.v_BHMD.sizes().vec(),
            in.q_BHND.scalar_type()};
}

}  // namespace reelgrid::attention
