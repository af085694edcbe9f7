#include "core/capture/attention_weights.h"

#include <cmath>
#include <limits>
#include <tuple>

namespace reelgrid::capture {

at::Tensor attentionWeights(const CapturedCall& call, const at::Tensor& q_ND, const at::Tensor& k_MD,
                            const at::Tensor& positions_N) {
    const double scale = call.scale.value_or(1 / std::sqrt(double(k_MD.size(1))));
    at::Tensor scores_NM = at::mm(q_ND, k_MD.t()) * scale;
    if (call.keyBias_M.defined()) scores_NM = scores_NM + call.keyBias_M.unsqueeze(0);
    if (call.mask != kernels::Mask::Causal) return at::softmax(scores_NM, 1);
    const std::int64_t keys = k_MD.size(0), queries = call.q_BHND.size(2);
    const at::Tensor lastKey_N1 = (positions_N + (keys - queries)).unsqueeze(1);
    const at::Tensor hidden_NM = at::arange(keys, at::kLong).unsqueeze(0) > lastKey_N1;
    scores_NM = scores_NM.masked_fill(hidden_NM, -std::numeric_limits<double>::infinity());
    return at::softmax(scores_NM, 1).masked_fill(lastKey_N1 < 0, 0.0);
}

at::Tensor meanWeights(const CapturedCall& call, const at::Tensor& q_ND, const at::Tensor& k_MD,
                       std::int64_t first, std::int64_t size, std::int64_t taken) {
    const at::Tensor positions_N = at::arange(taken, at::kLong).mul_(size).floor_divide_(taken) + first;
    return attentionWeights(call, q_ND.index_select(0, positions_N).to(at::kFloat), k_MD, positions_N)
        .mean(0, false, at::kDouble)
        .contiguous();
}

Result<void> requireHead(const CapturedCall& call, std::int64_t batch, std::int64_t head) {
    for (const auto& [what, asked, count] :
         {std::tuple{"batch", batch, call.q_BHND.size(0)}, {"head", head, call.q_BHND.size(1)}})
        if (asked < 0 || asked >= count)
            return Error{ErrorCode::BadUsage, std::string("--") + what + " " + std::to_string(asked) +
                                                  ": a number from 0 to " + std::to_string(count - 1) +
                                                  " was needed"};
    return {};
}

}  // namespace reelgrid::capture
